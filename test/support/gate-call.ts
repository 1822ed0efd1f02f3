import type { GateCall } from '../../agent/rules/gate.ts';
import type { WaitingReason } from '../../agent/rules/wait-reasons.ts';

/** A tool call as the gate sees it. Without a reason it is running. */
export function gateCall(id: string, waiting?: WaitingReason, more: Partial<GateCall> = {}): GateCall {
  return {
    id,
    waitNumber: 0,
    state: { kind: 'tool', waiting },
    inputSchema: null,
    waitingWithin: [],
    ...more,
  };
}

/** Returns what `act` returns, or the message of what it throws. */
export function outcomeOf(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
}
