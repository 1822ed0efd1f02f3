import { withoutSchedule } from '../../agent/calls/calls.ts';
import type { TimelessEvent } from '../../agent/run/events.ts';
import type { WaitingCall } from '../../agent/rules/waiting.ts';
import { type WaitsTold, waitingChanges, waitsAfter } from '../../agent/run/waits-told.ts';

/** What waits for a person in the sub-agents of a run: each tells its parent of every change. */
export interface WaitsWithin {
  told(waiting: WaitsTold): TimelessEvent[];
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
    told: (waiting) => {
      const call = withoutSchedule(waiting.caller);
      return now(call, waitsAfter(within.get(call) ?? [], waiting));
    },
    over: (call) => now(call, []),
    clear: () => within.clear(),
  };
}
