import { type TurnDecision, isIteration } from '../calls/calls.ts';
import type { RunEvent } from '../run/events.ts';
import type { RunResult } from '../run/run-result.ts';
import {
  type ErrorInfo,
  type Json,
  type RunStatus,
  type StopReason,
  addUsage,
  noUsage,
} from '../values/vocabulary.ts';

/** A model call's decision, as far as two runs are compared: without its wording. */
export type OutlinedDecision =
  | { type: 'act'; actions: DecidedCall[] }
  | { type: 'finish'; output: Json }
  | { type: 'stop' }
  | { type: 'fail'; error: ErrorInfo };

export interface DecidedCall {
  tool: string;
  toolInput: Json;
}

/** End of a run, and the usage of its own model calls, without those of its tools and sub-agents. */
export interface RunEnding extends Omit<RunResult, 'stopReason'> {
  status: RunStatus;
  stopReason: StopReason | null;
  error: ErrorInfo | null;
}

/** A run as it is compared with another one: a decision for each model call, and its end. */
export interface RunOutline {
  decisions: OutlinedDecision[];
  ending: RunEnding;
}

export function emptyOutline(): RunOutline {
  return {
    decisions: [],
    ending: {
      status: 'running',
      stopReason: null,
      output: null,
      error: null,
      iterations: 0,
      usage: noUsage,
    },
  };
}

/** Brings an outline up to date with one event. */
export function addToOutline({ decisions, ending }: RunOutline, event: RunEvent): void {
  if (event.type === 'model_ended') {
    const decided = decidedOf(event.turn.decision);
    if (decided !== undefined) decisions.push(decided);
    if (isIteration(event)) ending.iterations++;
    ending.usage = addUsage(ending.usage, event.turn.usage);
  }
  if (event.type === 'run_ended') {
    const { status, stopReason, output, error } = event;
    Object.assign(ending, { status, stopReason, output, error });
  }
}

/** Returns undefined for a summary, which decides nothing. */
function decidedOf(decision: TurnDecision): OutlinedDecision | undefined {
  switch (decision.type) {
    case 'act':
      return {
        type: 'act',
        actions: decision.actions.map(({ tool, toolInput }) => ({ tool, toolInput })),
      };
    case 'finish':
      return { type: 'finish', output: decision.output };
    case 'fail':
      return { type: 'fail', error: decision.error };
    case 'stop':
      return { type: 'stop' };
    case 'compact':
      return undefined;
  }
}
