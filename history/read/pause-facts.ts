import type { HistoryEvent } from './pages.ts';

/** An operator has paused the run with `temporal workflow pause`, or unpaused it. `identity`: of the sender, as Temporal's client said. */
export interface PauseFact {
  type: 'paused_in_temporal' | 'unpaused_in_temporal';
  identity: string;
  reason: string;
}

export function pauseFact({
  workflowExecutionPausedEventAttributes: paused,
  workflowExecutionUnpausedEventAttributes: unpaused,
}: HistoryEvent): PauseFact | undefined {
  const sent = paused ?? unpaused;
  if (!sent) return undefined;
  const type = paused ? 'paused_in_temporal' : 'unpaused_in_temporal';
  return { type, identity: sent.identity ?? '', reason: sent.reason ?? '' };
}
