import { setHandler } from '@temporalio/workflow';
import { CALL_CHECKPOINT, CALL_INTENT } from '../../agent/calls/call-signals.ts';
import { activityId, parseActivityId, withoutSchedule } from '../../agent/calls/calls.ts';
import type { WaitingCall } from '../../agent/rules/waiting.ts';
import {
  type DecisionName,
  decisionNames,
  type DecisionReceipt,
  helpOf,
} from '../../agent/rules/decisions.ts';
import { checkGivenOutput, chooseCall, chooseEarlyAnswer } from '../../agent/rules/gate.ts';
import { sentData } from '../../agent/rules/sent-data.ts';
import { isObject } from '../../agent/values/json-object.ts';
import type { Call } from '../../agent/run/call-state.ts';
import { runSignals } from '../../agent/run/run-signals.ts';
import {
  type RunState,
  checkpointSignal,
  childUsedSignal,
  childWaitingSignal,
  decisionUpdates,
  intentSignal,
  statusQuery,
} from '../messages.ts';
import { onSignal } from '../temporal/on-signal.ts';
import { type AskAuthorize, orRefused } from './ask-authorize.ts';
import { OpenCall, type OpenCallOptions } from './open-call.ts';
import type { TakenWords } from './taken-words.ts';

/** Receives people's decisions for a workflow: has the open calls of all its agents. One per workflow. */
export interface Control {
  open(call: Call, options: Omit<OpenCallOptions, 'onWaitingChange'>): OpenCall;
  close(call: OpenCall): void;
  /** Ids of tool calls that are under way and do not wait. */
  running(): string[];
  /** All open waits, those of sub-agents included. */
  waiting(): WaitingCall[];
}

/**
 * Sets the handlers of decisions. Call it before the first `await`; otherwise an early update is refused. The handlers are synchronous:
 * check, store, return. The validator makes the same choice, without applying the decision. A run with `authorize` asks first, and then
 * checks that the same wait is open.
 */
export function createControl(
  state: () => RunState,
  onWaitingChange: () => void,
  authorizer: () => AskAuthorize | undefined,
  taken: TakenWords,
): Control {
  const calls = new Map<string, OpenCall>();
  const undecided = () => [...calls.values()].filter(({ isDecided }) => !isDecided);
  const choose = (type: DecisionName, data: unknown) => {
    const early = chooseEarlyAnswer(undecided(), type, data);
    return early === undefined ? chooseCall(undecided(), type, data) : { ...early, kept: true as const };
  };

  for (const type of decisionNames) {
    setHandler(
      decisionUpdates[type],
      (data?: unknown) => {
        taken.count();
        const ask = authorizer();
        return ask === undefined ? take(type, data) : takeIfAuthorized(ask, type, data);
      },
      {
        unfinishedPolicy: 'ABANDON',
        validator: (...sent: unknown[]) => {
          taken.checkRepetition();
          checkGivenOutput(choose(type, sentData(type, sent)));
        },
        description: helpOf(type),
      },
    );
  }
  function take(type: DecisionName, data: unknown): DecisionReceipt {
    const { call, decision, ...kept } = choose(type, data);
    const { id, waitNumber: n } = call;
    if ('kept' in kept) call.apply({ type: 'answered', decision });
    else call.decide(decision);
    return taken.withReceipt({ call: id, n, decision: type, ...kept });
  }

  /** The wait may end while `authorize` is asked, and another one start: the decision is for the wait that was open before. */
  async function takeIfAuthorized(
    ask: AskAuthorize,
    type: DecisionName,
    data: unknown,
  ): Promise<DecisionReceipt> {
    const { call } = orRefused(() => choose(type, data));
    const { id, waitNumber: wait } = call;
    const fields = isObject(data) ? data : {};
    const { call: _, wait: __, ...about } = fields;
    await ask(type, about, { call: id, tool: call.now.action.tool });
    return orRefused(() => take(type, { ...fields, call: id, wait }));
  }

  onSignal(childWaitingSignal, runSignals.childWaiting, (change) => {
    calls.get(withoutSchedule(change.caller))?.apply({ type: 'child_waits_changed', change });
  });
  onSignal(childUsedSignal, runSignals.childUsed, ({ caller, usage }) => {
    calls.get(withoutSchedule(caller))?.apply({ type: 'child_used', usage });
  });
  onSignal(intentSignal, runSignals[CALL_INTENT], ({ activityId: id, intent }) => {
    const { scope = 0, call = '', n = 0 } = parseActivityId(id) ?? {};
    calls.get(activityId(scope, call, 0))?.apply({ type: 'intended', n, intent });
  });
  onSignal(checkpointSignal, runSignals[CALL_CHECKPOINT], ({ activityId: id, checkpoint }) => {
    const { scope = 0, call = '', n = 0 } = parseActivityId(id) ?? {};
    calls.get(activityId(scope, call, 0))?.apply({ type: 'checkpoint', n, checkpoint });
  });
  setHandler(statusQuery, state, { description: 'What the run is doing and what it waits for.' });

  return {
    open(call, options) {
      const open = new OpenCall(call, { ...options, onWaitingChange });
      calls.set(open.id, open);
      return open;
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
