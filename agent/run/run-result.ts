import type { ErrorInfo, Json, RunStatus, StopReason, Usage } from '../values/vocabulary.ts';
import type { TimelessEvent } from './events.ts';

/** Result of a run. Steps are not in it: they are read from history. */
export interface RunResult {
  output: Json;
  stopReason: StopReason;
  iterations: number;
  usage: Usage;
}

/** What a run has used up. */
export type Consumption = Pick<RunResult, 'iterations' | 'usage'>;

/** How a run that has an answer ended: of itself, or by a limit. */
export function statusOf(stopReason: StopReason): RunStatus {
  return stopReason === 'final_answer' || stopReason === 'return_direct' ? 'completed' : 'stopped';
}

/** Events of a run that ends with an answer. `log`: text that the model wrote around the answer. */
export function finished({ output, stopReason, iterations, usage }: RunResult, log: string): TimelessEvent[] {
  const status = statusOf(stopReason);
  return [
    { type: 'finish', output, log: stopReason === 'final_answer' ? log : '' },
    { type: 'run_ended', status, stopReason, output, iterations, usage, error: null },
  ];
}

/** `error`: null for a run that was cancelled. */
export function unfinished(error: ErrorInfo | null, { iterations, usage }: Consumption): TimelessEvent {
  const isCancelled = error === null;
  const status = isCancelled ? 'cancelled' : 'failed';
  const stopReason = isCancelled ? 'cancelled' : 'error';
  return { type: 'run_ended', status, stopReason, output: null, iterations, usage, error };
}
