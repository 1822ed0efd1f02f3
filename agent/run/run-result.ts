import type { Json, RunStatus, StopReason, Usage } from '../values/vocabulary.ts';

/** Result of a run. Steps are not in it: they are read from history. */
export interface RunResult {
  output: Json;
  stopReason: StopReason;
  iterations: number;
  usage: Usage;
}

/** How a run that has an answer ended: of itself, or by a limit. */
export function statusOf(stopReason: StopReason): RunStatus {
  return stopReason === 'final_answer' || stopReason === 'return_direct' ? 'completed' : 'stopped';
}
