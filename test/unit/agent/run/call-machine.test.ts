import { describe, expect, test } from 'vitest';
import { inputDigest } from '../../../../agent/calls/restart.ts';
import type { OperatorDecision } from '../../../../agent/rules/decisions.ts';
import { nextCall } from '../../../../agent/run/call-next.ts';
import { type Call, type CallFact, modelCall } from '../../../../agent/run/call-state.ts';
import { type CallContext, type NextAction, nextAction } from '../../../../agent/run/next-action.ts';
import type { TimelessEvent } from '../../../../agent/run/events.ts';
import { asText } from '../../../../agent/values/vocabulary.ts';
import {
  NOW,
  asking,
  callOf,
  cancelled,
  decided,
  during,
  failed,
  human,
  lost,
  once,
  plain,
  reconciling,
  succeeded,
  undecided,
  waits,
} from '../../../support/call-facts.ts';

const after: CallContext = { ...during, overdue: true };
const again = (n: number): CallFact => ({ type: 'scheduled', n });
const scheduled = again(0);
/** It failed, and waits for a person. */
const asked = [scheduled, failed(), waits('failed')];
const defers = succeeded({ output: 'ask Bob', kind: 'deferred', token: 't' });
const early = (token: string): CallFact => ({
  type: 'answered',
  decision: { type: 'resolve', output: 'early', token },
});
/** Schedules 5 times in a row that had no effect. */
const fiveTimes = (facts: CallFact[]) => Array.from({ length: 5 }, () => facts).flat();
/** `reconcile` is asked, and ends so. */
const reconciled = (end: CallFact) => [scheduled, failed(), again(1), end];
const says = (answer: string) => succeeded({ output: 'paid', reconciled: answer });

/** State and events after these facts. */
function stateAfter(call: Call, facts: readonly CallFact[]): { call: Call; events: TimelessEvent[] } {
  const events: TimelessEvent[] = [];
  for (const fact of facts) {
    const step = nextCall(call, fact);
    ({ call } = step);
    events.push(...step.events);
  }
  return { call, events };
}

function shown(then: NextAction): string {
  switch (then.do) {
    case 'ask':
      return then.until === undefined ? `ask ${then.reason}` : `ask ${then.reason} until ${then.until - NOW}`;
    case 'end':
      return `end ${asText(then.end.observation)}`;
    case 'fail':
      return `fail ${then.error.type}`;
    default:
      return then.do;
  }
}

describe('what follows', () => {
  const paid = [{ tool: 'pay', call: '1.1', input: inputDigest('x'), output: 'paid' }];
  const approval = { approval: {} };
  const doubt = [scheduled, lost];

  test.each<[state: string, Call, CallFact[], CallContext, then: RegExp | string]>([
    ['no fact', callOf(plain), [], during, 'schedule'],
    ['no fact, after the time limit', callOf(plain), [], after, /^end .*time limit/iu],
    ['a needed approval', callOf(plain, approval), [], during, 'ask approval'],
    [
      'an approval for the rest of the run',
      callOf(plain, approval),
      [],
      { ...during, approved: ['["echo"]'] },
      'schedule',
    ],
    [
      'an approval',
      callOf(plain, approval),
      [waits('approval'), decided({ type: 'approve' })],
      during,
      'schedule',
    ],
    [
      'a rejection',
      callOf(plain, approval),
      [waits('approval'), decided({ type: 'reject' })],
      during,
      /^end /u,
    ],
    ['the same effect in a dropped step', callOf(once), [], { ...during, done: paid }, 'ask repeated'],
    [
      'the same effect by a given input',
      callOf(once, { toolInput: 'y' }),
      [scheduled, failed(), waits('doubt'), decided({ type: 'retry', input: 'x' })],
      { ...during, done: paid },
      'ask repeated',
    ],
    [
      'a permission to repeat, before an approval',
      callOf(once, approval),
      [waits('repeated'), decided({ type: 'retry' })],
      during,
      'ask approval',
    ],
    ['a tool that is a person', callOf(human), [], during, 'ask answer'],
    [
      'a person who is asked again',
      callOf(human),
      [waits('answer'), decided({ type: 'retry' })],
      during,
      'ask answer',
    ],
    ['a schedule under way', callOf(plain), [scheduled], during, 'nothing'],
    ['a wait under way', callOf(asking), asked, during, 'nothing'],
    ['a result', callOf(plain), [scheduled, succeeded({ output: 'r' })], during, 'end r'],
    [
      'a result, after the time limit',
      callOf(plain),
      [scheduled, succeeded({ output: 'r' })],
      after,
      'end r',
    ],
    ['a failure of a tool that asks', callOf(asking), [scheduled, failed()], during, 'ask failed'],
    [
      'a failure of a tool that asks, after the time limit',
      callOf(asking),
      [scheduled, failed()],
      after,
      /^end /u,
    ],
    [
      'a failure that the model sees',
      callOf({ ...plain, onFailure: 'observe' }),
      [scheduled, failed()],
      during,
      /^end .*it broke/u,
    ],
    [
      'a failure that ends the run',
      callOf({ ...plain, onFailure: 'fail' }),
      [scheduled, failed()],
      during,
      'fail Error',
    ],
    ['a retry', callOf(asking), [...asked, decided({ type: 'retry' })], during, 'schedule'],
    ['a skip', callOf(asking), [...asked, decided({ type: 'skip' })], during, /^end /u],
    ['an abort', callOf(asking), [...asked, decided({ type: 'abort' })], during, 'fail Aborted'],
    ['no decision in time', callOf(asking), [...asked, undecided], during, /^end .*nobody decided in time/u],
    [
      'a cancellation',
      callOf(plain),
      [scheduled, decided({ type: 'cancelCall' }), cancelled],
      during,
      /^end .*cancelled/iu,
    ],
    [
      'a cancellation that met a failure',
      callOf(asking),
      [scheduled, decided({ type: 'cancelCall' }), failed()],
      during,
      /^end .*cancelled/iu,
    ],
    ['a deferral', callOf(plain), [scheduled, defers], during, 'ask deferred'],
    ['a deferral with an early answer', callOf(plain), [scheduled, early('t'), defers], during, 'end early'],
    [
      'a deferral with an early answer of another token',
      callOf(plain),
      [scheduled, early('u'), defers],
      during,
      'ask deferred',
    ],
    [
      'a lost attempt that did nothing',
      callOf(once),
      [scheduled, failed({ timedOut: true })],
      during,
      'schedule',
    ],
    ['a lost attempt that may have had its effect', callOf(once), doubt, during, 'ask doubt'],
    ['the same for a tool that can be asked', callOf(reconciling), doubt, during, 'ask doubt until 60000'],
    ['the same, after the time limit', callOf(reconciling), doubt, after, /^end .*may or may not/u],
    [
      'the end of the lost attempt',
      callOf(reconciling),
      [...doubt, waits('doubt', NOW + 60_000), { type: 'wait_ended' }],
      during,
      'reconcile',
    ],
    [
      'the word that the attempt is dead',
      callOf(reconciling),
      [...doubt, waits('doubt', NOW + 60_000), decided({ type: 'reconcile' })],
      during,
      'reconcile',
    ],
    ['a doubt without a running attempt', callOf(reconciling), [scheduled, failed()], during, 'reconcile'],
    ['an answer that the call is done', callOf(reconciling), reconciled(says('done')), during, 'end paid'],
    [
      'an answer that the call did nothing',
      callOf(reconciling),
      reconciled(says('notDone')),
      during,
      'schedule',
    ],
    ['no answer', callOf(reconciling), reconciled(says('unknown')), during, 'ask doubt'],
    ['an answer that failed', callOf(reconciling), reconciled(failed()), during, 'ask doubt'],
    [
      'an answer that was cut by the time limit',
      callOf(reconciling),
      reconciled(cancelled),
      after,
      /^end .*may or may not/u,
    ],
    [
      '5 lost attempts that did nothing',
      callOf(once),
      fiveTimes([scheduled, failed({ timedOut: true })]),
      during,
      'ask failed',
    ],
    [
      '5 answers that the call did nothing',
      callOf(reconciling),
      fiveTimes(reconciled(says('notDone'))),
      during,
      'ask failed',
    ],
    [
      'a cancellation of a call that did nothing',
      callOf(reconciling),
      [scheduled, decided({ type: 'cancelCall' }), failed(), again(1), says('notDone')],
      during,
      /^end .*cancelled/iu,
    ],
    [
      'an observation that the model has',
      callOf(asking),
      [scheduled, failed(), { type: 'observed', observation: 'told' }],
      during,
      'end told',
    ],
  ])('after %s', (_state, call, facts, context, then) => {
    expect(shown(nextAction(stateAfter(call, facts).call, context))).toMatch(
      typeof then === 'string' ? new RegExp(`^${then}$`, 'u') : then,
    );
  });
});

test.each([
  ['is told when the tool has answered', says('unknown'), 1],
  ['is not told when nobody was asked in the end', cancelled, 0],
])('what reconcile found %s', (_when, end, times) => {
  const { events } = stateAfter(callOf(reconciling), reconciled(end));
  expect(events.filter(({ type }) => type === 'reconciled')).toHaveLength(times);
});

describe('a wait of a model call', () => {
  test.each<[OperatorDecision, last: object | undefined]>([
    [{ type: 'retry' }, undefined],
    [
      { type: 'resolve', output: 'hello' },
      { type: 'replied', reply: 'hello' },
    ],
    [{ type: 'abort' }, { type: 'aborted' }],
  ])('ends by %j', (decision, last) => {
    const facts: CallFact[] = [scheduled, failed(), waits('failed'), decided(decision)];
    const { call, events } = stateAfter(modelCall('1', 0), facts);
    expect(events.map(({ type }) => type)).toEqual(['model_started', 'model_failed', 'waiting', 'decided']);
    expect({ last: call.last }).toMatchObject({ last });
    expect(call.nextN).toBe(1);
  });
});

/** History has an intent after the loss of its attempt, where the workflow task in between was lost as well. */
test.each([
  ['once', once],
  ['once, with reconcile', reconciling],
  ['any effect', plain],
])('an intent counts before and after the loss of its attempt: %s', (_name, tool) => {
  const intent: CallFact = { type: 'intended', n: 0, intent: { at: NOW, attempt: 1 } };
  const timedOut = failed({ timedOut: true });
  const [before, after] = [
    [intent, timedOut],
    [timedOut, intent],
  ].map((facts) => stateAfter(callOf(tool), [scheduled, ...facts]).call);
  expect({ ...after, intent: undefined }).toEqual({ ...before, intent: undefined });
  const ofAnother = stateAfter(callOf(tool), [scheduled, timedOut, { ...intent, n: 1 }]).call;
  expect(ofAnother).toEqual(stateAfter(callOf(tool), [scheduled, timedOut]).call);
});
