import { describe, expect, test } from 'vitest';
import { type CallState, type DecisionName, decisionNames } from '../../../../agent/rules/decisions.ts';
import { type GateCall, chooseCall, chooseEarlyAnswer } from '../../../../agent/rules/gate.ts';
import { type WaitingReason, waitingReasons } from '../../../../agent/rules/wait-reasons.ts';
import { gateCall, outcomeOf } from '../../../support/gate-call.ts';

const IN_DOUBT = 'is not running, it waits because nobody knows whether it took effect';
const LOST = 'may still be running somewhere, so it waits for its lost attempt to end';
const REPEATED = 'is not running, it waits because it was already made in a dropped step';
const UNANSWERED = 'is not running, it waits for the model to be asked again';
const mended: DecisionName[] = ['retry', 'resolve', 'skip', 'abort'];
const resolved: DecisionName[] = ['resolve', 'retry', 'skip', 'abort'];

/** The decisions that fit each state. Any other is refused: how the call stands, and these, after what may be said to the run. */
const fitting: [
  kind: 'tool' | 'model',
  waiting: WaitingReason | 'lost' | undefined,
  stands: string,
  DecisionName[],
  said?: string,
][] = [
  ['tool', undefined, 'is running, it does not wait', ['cancelCall']],
  ['tool', 'failed', 'is not running, it has failed and waits', mended],
  ['tool', 'approval', 'is not running, it waits for approval', ['approve', 'reject', 'resolve', 'abort']],
  ['tool', 'doubt', IN_DOUBT, mended],
  ['tool', 'lost', LOST, ['reconcile', 'resolve', 'skip', 'abort']],
  ['tool', 'answer', 'is not running, it waits for a person to answer', resolved],
  ['tool', 'deferred', 'is not running, it waits for its result', resolved],
  ['tool', 'repeated', REPEATED, mended],
  ['model', undefined, 'is running, it does not wait', []],
  ['model', 'failed', UNANSWERED, ['retry', 'resolve', 'abort']],
  ['model', 'limit', 'waits because the run has come to a limit', ['resolve', 'stop', 'abort'], 'extend, '],
];

describe('each decision in each state', () => {
  const given: { [N in DecisionName]?: object } = { resolve: { output: 'x' } };
  const rows = fitting.flatMap(([kind, state, stands, names, first = '']) =>
    decisionNames.map((name) => {
      const possible = `${first}${names.join(', ')}` || 'nothing';
      const refused = `${name}: 7 ${stands}. Possible: ${possible}.`;
      return [name, kind, state ?? 'running', names.includes(name) ? name : refused] as const;
    }),
  );
  const choose = (name: DecisionName, kind: 'tool' | 'model', state: string, wait?: number) =>
    outcomeOf(() => {
      const data = { call: '7', wait, ...given[name] };
      return chooseCall([gateCall('7', undefined, { state: stateOf(kind, state) })], name, data).decision
        .type;
    });

  test.each(rows)('%s of a %s call that is %s: %s', (name, kind, state, outcome) => {
    expect(choose(name, kind, state)).toBe(outcome);
  });

  const ofWaits = rows.filter(([name, , state, outcome]) => outcome === name && state !== 'running');
  test.each(ofWaits)(
    '%s of a %s call that is %s, meant for another wait, is refused',
    (name, kind, state) => {
      expect(choose(name, kind, state, 7)).toBe(`${name}: 7 is at wait 0 by now, not 7. Look again.`);
    },
  );
});

test('an input that is too long to be remembered is refused, and the tool still can be', () => {
  const long = gateCall('8', 'approval', { input: 'x'.repeat(2_000) });
  expect(() => chooseCall([long], 'approve', { remember: 'input' })).toThrow('2002 characters');
  const { decision } = chooseCall([long], 'approve', { remember: 'tool' });
  expect(decision).toEqual({ type: 'approve', remember: 'tool' });
});

function stateOf(kind: 'tool' | 'model', state: string): CallState {
  if (state === 'lost') return { kind, waiting: 'doubt', until: 1 };
  return { kind, waiting: waitingReasons.find((reason) => reason === state) };
}

describe('an answer by token to a call that still runs', () => {
  const [running, failed] = [gateCall('3.1'), gateCall('3.2', 'failed')];
  const answer = { call: '3.1', output: 'done', token: 't' };
  const decision = { type: 'resolve', output: 'done', token: 't' } as const;

  test('is kept', () => {
    expect(chooseEarlyAnswer([running, failed], 'resolve', answer)).toEqual({ call: running, decision });
  });

  test.each<[why: string, type: DecisionName, data: unknown]>([
    ['it has no token', 'resolve', { call: '3.1', output: 'done' }],
    ['it names no call', 'resolve', { output: 'done', token: 't' }],
    ['the call waits', 'resolve', { ...answer, call: '3.2' }],
    ['there is no such call', 'resolve', { ...answer, call: '7.1' }],
    ['it is another decision', 'cancelCall', '3.1'],
  ])('is none where %s', (_why, type, data) => {
    expect(chooseEarlyAnswer([running, failed], type, data)).toBeUndefined();
  });

  test('is refused without an output, and where the call keeps four', () => {
    const send = (call: GateCall, data: object) => () => chooseEarlyAnswer([call], 'resolve', data);
    expect(send(running, { ...answer, output: undefined })).toThrow('output is missing');
    const full = { ...running, earlyAnswers: [decision, decision, decision, decision] };
    expect(send(full, answer)).toThrow('3.1 still runs and keeps 4 answers. Try again when it waits.');
  });
});

describe('the number 1.1, which the Web UI makes of an unquoted 1.10', () => {
  const [first, tenth] = [gateCall('1.1', 'failed'), gateCall('1.10', 'failed')];

  test.each<[what: string, other: GateCall, data: unknown]>([
    ['both wait', first, 1.1],
    ['one runs', gateCall('1.1'), 1.1],
    ['it is a field', first, { call: 1.1 }],
  ])('is refused where two calls have it and %s', (_, other, data) => {
    expect(() => chooseCall([other, tenth], 'skip', data)).toThrow(
      'skip: the number 1.1 may be call 1.1 or 1.10. Put quotes around the id that you mean, as in "1.10".',
    );
  });

  test('means the call that has it alone, and with quotes a call is itself', () => {
    const alone = [first, gateCall('2.1', 'failed')];
    for (const data of [1.1, '1.1', { call: 1.1 }]) expect(chooseCall(alone, 'skip', data).call).toBe(first);
    expect(chooseCall([first, tenth], 'skip', '1.10').call).toBe(tenth);
  });
});
