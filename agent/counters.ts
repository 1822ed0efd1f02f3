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
}

export function freshCounters(nowMs: number): Counters {
  return { iterations: 0, startedAtMs: nowMs, waitedMs: 0, usage: noUsage };
}

/** Milliseconds until the time limit; Infinity without one. */
export function timeLeft(
  { maxExecutionTimeMs }: AgentManifest,
  { startedAtMs, waitedMs }: Counters,
  nowMs: number,
): number {
  return maxExecutionTimeMs === null ? Infinity : maxExecutionTimeMs - (nowMs - startedAtMs - waitedMs);
}

/** Looked at before each turn, as AgentExecutor does: 0 iterations means no model call at all. */
export function reachedLimit(
  manifest: AgentManifest,
  counters: Counters,
  nowMs: number,
): StopReason | undefined {
  const { maxIterations } = manifest;
  if (maxIterations !== null && counters.iterations >= maxIterations) return 'max_iterations';
  if (timeLeft(manifest, counters, nowMs) <= 0) return 'max_execution_time';
  return undefined;
}
