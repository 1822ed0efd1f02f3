import { freshCounters } from '../agent/counters.ts';
import { type RestartedEvent, isDropped } from '../agent/restart.ts';
import { restartedEvent } from '../agent/transcript/edits.ts';
import type { AgentRunInput } from '../workflows/messages.ts';
import type { TracedCall } from './traced-calls.ts';

/** Where a run does steps of another one again: what was dropped of `calls` is forgotten, what is kept waits for nobody. */
export function begunAgain(
  input: AgentRunInput | undefined,
  run: { id: string; runId: string },
  calls: Map<string, TracedCall>,
): RestartedEvent[] {
  if (input?.restart === undefined) return [];
  const event = restartedEvent(run, input.restart, input.pending, input.counters ?? freshCounters(0));
  const again = event.again && []; // the calls of a turn that is taken up again are known already
  for (const call of calls.values()) {
    if (isDropped(call.id, { step: event.step, again })) calls.delete(call.id);
    // The run numbers the waits of its calls anew.
    Object.assign(call, { waits: 0, waitsFor: undefined, unsettled: undefined, cancelled: undefined });
  }
  return [event];
}
