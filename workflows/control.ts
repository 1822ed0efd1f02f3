import { setHandler } from '@temporalio/workflow';
import { activityId, parseActivityId, withoutSchedule } from '../agent/calls.ts';
import type { WaitingCall } from '../agent/events.ts';
import { callWithin } from '../agent/rules/call-rules.ts';
import { type DecisionName, decisionNames, helpOf } from '../agent/rules/decisions.ts';
import { chooseCall } from '../agent/rules/gate.ts';
import { type RunState, childWaitingSignal, decisionUpdates, intentSignal, statusQuery } from './messages.ts';
import { OpenCall, type OpenCallOptions } from './open-call.ts';

/** The operator's side of a workflow: the open calls of all its agents. One per workflow. */
export interface Control {
  open(options: Omit<OpenCallOptions, 'onWaitingChange'>): OpenCall;
  close(call: OpenCall): void;
  /** Tool calls under way that wait for nobody. */
  running(): string[];
  /** What waits for a person now. */
  waiting(): WaitingCall[];
}

/**
 * Sets the handlers; to be called before the first `await`, or an early update is refused. They are synchronous: check,
 * store, return. The validator is the same choice without its effect.
 */
export function createControl(state: () => RunState, onWaitingChange: () => void): Control {
  const calls = new Map<string, OpenCall>();
  const choose = (type: DecisionName, data: unknown) =>
    chooseCall(
      [...calls.values()].filter(({ isDecided }) => !isDecided),
      type,
      data,
    );

  for (const type of decisionNames) {
    setHandler(
      decisionUpdates[type],
      (data?: unknown) => {
        const { call, decision } = choose(type, data);
        call.decide(decision);
        return { call: call.id, n: call.park, decision: type };
      },
      { validator: (data?: unknown) => void choose(type, data), description: helpOf(type) },
    );
  }
  setHandler(childWaitingSignal, ({ caller, parks }) => {
    const within = parks.map((waiting) => ({ ...waiting, call: callWithin(caller, waiting.call) }));
    calls.get(withoutSchedule(caller))?.setWaitingWithin(within);
  });
  setHandler(intentSignal, ({ activityId: id, intent }) => {
    const { scope = 0, call = '', n = 0 } = parseActivityId(id) ?? {};
    calls.get(activityId(scope, call, 0))?.intend(n, intent);
  });
  setHandler(statusQuery, state, { description: 'What the run is doing and what it waits for.' });

  return {
    open(options) {
      const call = new OpenCall({ ...options, onWaitingChange });
      calls.set(call.id, call);
      return call;
    },
    close(call) {
      calls.delete(call.id);
    },
    running: () =>
      [...calls.values()]
        .filter(({ state: { kind, waiting } }) => kind === 'tool' && waiting === undefined)
        .map(({ id }) => id),
    waiting: () => [...calls.values()].flatMap(({ waits }) => waits),
  };
}
