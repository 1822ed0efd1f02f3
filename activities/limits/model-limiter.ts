import type { Client } from '@temporalio/client';
import type { AgentModel } from '../../agent/definition/agent-models.ts';
import {
  LEASE,
  type Lease,
  type LeaseRequest,
  MODEL_LIMITS,
  type ModelLimits,
  limiterId,
} from '../../agent/model-limits/lease-request.ts';
import { askCountKeeper } from './count-keeper.ts';
import { type TokenEstimates, createTokenEstimates } from './token-estimates.ts';
import { type WaitingCalls, createWaitingCalls } from './waiting-calls.ts';

/** Limits of a model, by the name that the config gives them to. */
export interface NamedLimits {
  name: string;
  limits: ModelLimits;
}

/** End of a wait, for metrics. */
export interface LimitWait {
  agent: string;
  model: string;
  ms: number;
}

/** Parts of a worker that its model calls with limits use. */
export interface LimiterParts {
  /** undefined: the model has no limits. */
  limitsOf(model: AgentModel): NamedLimits | undefined;
  /** Task queue of the workflow that keeps the limits. `own`: the queue of the model call. */
  runQueueOf(own: string): string;
  waited?: ((wait: LimitWait) => void) | undefined;
}

/** The calls of one model. `workflowId`: of the workflow that keeps the model's limits. */
export type LimitedCalls = WaitingCalls & TokenEstimates & { readonly workflowId: string };

/** The models' limits, and the calls of this worker that wait for them. */
export interface ModelLimiter extends LimiterParts {
  callsOf(client: Client, taskQueue: string, limits: NamedLimits): LimitedCalls;
}

export function createModelLimiter(parts: LimiterParts): ModelLimiter {
  const all = new Map<string, LimitedCalls>();
  return {
    ...parts,
    callsOf(client, own, { name, limits }) {
      const taskQueue = parts.runQueueOf(own);
      const workflowId = limiterId(taskQueue, name);
      const known = all.get(workflowId);
      if (known !== undefined) return known;
      const keeper = { workflowType: MODEL_LIMITS, workflowId, taskQueue, args: [] };
      const ask = (request: LeaseRequest) => askCountKeeper<Lease>(client, keeper, LEASE, request);
      const calls = Object.assign(createWaitingCalls(limits, ask), createTokenEstimates(), { workflowId });
      all.set(workflowId, calls);
      return calls;
    },
  };
}
