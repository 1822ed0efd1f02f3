import type { RunStatus, StopReason } from './vocabulary.ts';

/** How a run that has an answer ended: of itself, or by a limit. */
export function statusOf(stopReason: StopReason): RunStatus {
  return stopReason === 'final_answer' || stopReason === 'return_direct' ? 'completed' : 'stopped';
}
