import type { AgentManifest } from './manifest.ts';
import type { Repeat } from './calls.ts';
import { type StopReason, type Usage, noUsage } from './vocabulary.ts';

/** What a lineage has used up so far; carried along by continue-as-new. */
export interface Counters {
  iterations: number;
  /** Milliseconds since 1970, and how many of the milliseconds since then a person was waited for. */
  startedAtMs: number;
  waitedMs: number;
  usage: Usage;
  /** Of an agent with a `repeatLimit`: what it decided on last. */
  repeat?: Repeat;
  /** Approvals that hold for the rest of the run: see rules/approval.ts. */
  approved?: string[];
  /** What a person has granted beyond the agent's limits. */
  allowance?: Allowance | undefined;
}

/** Added to the limits of the same kind; nothing is added to what has no limit. */
export interface Allowance {
  iterations?: number | undefined;
  timeMs?: number | undefined;
  tokens?: number | undefined;
  /** US dollars. */
  cost?: number | undefined;
}

export function freshCounters(nowMs: number): Counters {
  return { iterations: 0, startedAtMs: nowMs, waitedMs: 0, usage: noUsage };
}

/** Milliseconds until the time limit; Infinity without one. */
export function timeLeft(
  { maxExecutionTimeMs }: AgentManifest,
  { startedAtMs, waitedMs, allowance }: Counters,
  nowMs: number,
): number {
  if (maxExecutionTimeMs === null) return Infinity;
  return maxExecutionTimeMs + (allowance?.timeMs ?? 0) - (nowMs - startedAtMs - waitedMs);
}

/** Looked at before each turn, as AgentExecutor does: 0 iterations means no model call at all. */
export function reachedLimit(
  manifest: AgentManifest,
  counters: Counters,
  nowMs: number,
): StopReason | undefined {
  const { maxIterations } = manifest;
  const { iterations, allowance } = counters;
  if (maxIterations !== null && iterations >= maxIterations + (allowance?.iterations ?? 0)) {
    return 'max_iterations';
  }
  if (timeLeft(manifest, counters, nowMs) <= 0) return 'max_execution_time';
  return undefined;
}
