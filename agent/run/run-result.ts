import type { ErrorInfo, Json, StopReason, Truncation, Usage } from '../values/vocabulary.ts';
import type { TimelessEvent } from './events.ts';

/** Result of a run, without its steps. */
export interface RunResult {
  output: Json;
  stopReason: StopReason;
  /** Set if the answer is not whole. */
  truncated?: Truncation | undefined;
  iterations: number;
  usage: Usage;
}

export type Consumption = Pick<RunResult, 'iterations' | 'usage'>;

/** Returns the status of a run with an output: `completed`, or `stopped` if a limit ended the run. */
export function statusOf(stopReason: StopReason): 'completed' | 'stopped' {
  return stopReason === 'final_answer' || stopReason === 'return_direct' ? 'completed' : 'stopped';
}

/** Returns the last events of a run with an output. `log`: text that the model wrote around its answer. */
export function finished(
  { output, stopReason, truncated, iterations, usage }: RunResult,
  log: string,
): TimelessEvent[] {
  const status = statusOf(stopReason);
  return [
    { type: 'finish', output, log: stopReason === 'final_answer' ? log : '' },
    {
      type: 'run_ended',
      status,
      stopReason,
      ...(truncated !== undefined && { truncated }),
      output,
      iterations,
      usage,
      error: null,
    },
  ];
}

/** Returns the last event of a run without an output. `error`: null if the run was cancelled. */
export function unfinished(error: ErrorInfo | null, { iterations, usage }: Consumption): TimelessEvent {
  const isCancelled = error === null;
  const status = isCancelled ? 'cancelled' : 'failed';
  const stopReason = isCancelled ? 'cancelled' : 'error';
  return { type: 'run_ended', status, stopReason, output: null, iterations, usage, error };
}
