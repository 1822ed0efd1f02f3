import { withoutSchedule } from '../agent/calls.ts';
import type { TimelessEvent, WaitingCall } from '../agent/events.ts';
import { callWithin } from '../agent/rules/call-rules.ts';
import { waitingChanges } from '../agent/rules/waiting.ts';
import type { ChildWaiting } from '../workflows/messages.ts';

/** What waits for a person in the sub-agents of a run: each tells its parent all that waits in it, whenever that changes. */
export interface WaitsWithin {
  told(waiting: ChildWaiting): TimelessEvent[];
  /** The sub-agent that this call is has come to its end. */
  over(call: string): TimelessEvent[];
  /** Another run begins, which has sub-agents of its own. */
  clear(): void;
}

export function createWaitsWithin(): WaitsWithin {
  const within = new Map<string, WaitingCall[]>();
  const now = (call: string, waiting: WaitingCall[]) => {
    const before = within.get(call) ?? [];
    within.set(call, waiting);
    return waitingChanges(before, waiting);
  };
  return {
    told: ({ caller, parks }) =>
      now(
        withoutSchedule(caller),
        parks.map((one) => ({ ...one, call: callWithin(caller, one.call) })),
      ),
    over: (call) => now(call, []),
    clear: () => within.clear(),
  };
}
