import { describe, expect, test } from 'vitest';
import { type CallState, type DecisionName, decisionNames } from '../../agent/rules/decisions.ts';
import { type Choice, type GateCall, chooseCall } from '../../agent/rules/gate.ts';
import { type WaitingReason, waitingReasons } from '../../agent/rules/wait-reasons.ts';

/** The decisions that fit each state. Any other is refused: how the call stands, and these, after what may be said to the run. */
const fitting: [
  kind: 'tool' | 'model',
  waiting: WaitingReason | 'lost' | undefined,
  stands: string,
  DecisionName[],
  said?: string,
][] = [
  ['tool', undefined, 'is running, it does not wait', ['cancelCall']],
  ['tool', 'failed', 'is not running, it has failed and waits', ['retry', 'resolve', 'skip', 'abort']],
  ['tool', 'approval', 'is not running, it waits for approval', ['approve', 'reject', 'resolve', 'abort']],
  [
    'tool',
    'doubt',
    'is not running, it waits because nobody knows whether it took effect',
    ['retry', 'resolve', 'skip', 'abort'],
  ],
  [
    'tool',
    'lost',
    'may still be running somewhere, so it waits for its lost attempt to end',
    ['reconcile', 'resolve', 'skip', 'abort'],
  ],
  ['tool', 'deferred', 'is not running, it waits for its result', ['retry', 'resolve', 'skip', 'abort']],
  [
    'tool',
    'repeated',
    'is not running, it waits because it was already made in a dropped step',
    ['retry', 'resolve', 'skip', 'abort'],
  ],
  ['model', undefined, 'is running, it does not wait', []],
  [
    'model',
    'failed',
    'is not running, it waits for the model to be asked again',
    ['retry', 'resolve', 'abort'],
  ],
  ['model', 'limit', 'waits because the run has come to a limit', ['resolve', 'stop', 'abort'], 'extend, '],
];

describe('each decision in each state', () => {
  const given: { [N in DecisionName]?: object } = { resolve: { output: 'x' } };
  const rows = fitting.flatMap(([kind, state, stands, names, first = '']) =>
    decisionNames.map((name) => {
      const possible = `${first}${names.join(', ')}` || 'nothing';
      const refused = `refused: ${name}: 7 ${stands}. Possible: ${possible}.`;
      return [name, kind, state ?? 'running', names.includes(name) ? name : refused] as const;
    }),
  );
  const choose = (name: DecisionName, kind: 'tool' | 'model', state: string, wait?: number) =>
    outcomeOf(() =>
      chooseCall([{ ...waiting('7', 0), state: stateOf(kind, state) }], name, {
        call: '7',
        wait,
        ...given[name],
      }),
    );

  test.each(rows)('%s of a %s call that is %s: %s', (name, kind, state, outcome) => {
    expect(choose(name, kind, state)).toBe(outcome);
  });

  const ofWaits = rows.filter(([name, , state, outcome]) => outcome === name && state !== 'running');
  test.each(ofWaits)(
    '%s of a %s call that is %s, meant for another wait, is refused',
    (name, kind, state) => {
      expect(choose(name, kind, state, 7)).toBe(
        `refused: ${name}: 7 is at wait 0 by now, not 7. Look again.`,
      );
    },
  );
});

test('an input that is too long to be remembered is refused, and the tool still can be', () => {
  const long: GateCall = {
    ...waiting('8', 0),
    state: { kind: 'tool', waiting: 'approval' },
    input: 'x'.repeat(2_000),
  };
  expect(() => chooseCall([long], 'approve', { remember: 'input' })).toThrow('2002 characters');
  expect(chooseCall([long], 'approve', { remember: 'tool' }).decision).toEqual({
    type: 'approve',
    remember: 'tool',
  });
});

function waiting(id: string, waitNumber: number): GateCall {
  return { id, waitNumber, state: { kind: 'tool', waiting: 'failed' }, inputSchema: null, waitingWithin: [] };
}

function stateOf(kind: 'tool' | 'model', state: string): CallState {
  if (state === 'lost') return { kind, waiting: 'doubt', until: 1 };
  return { kind, waiting: waitingReasons.find((reason) => reason === state) };
}

function outcomeOf(choose: () => Choice<GateCall>): string {
  try {
    return choose().decision.type;
  } catch (error) {
    return `refused: ${(error as Error).message}`; // thrown by the gate
  }
}
