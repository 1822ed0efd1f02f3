import { describe, expect, test } from 'vitest';
import type { PlannedAction, Repeat, TurnDecision } from '../../agent/calls/calls.ts';
import { limitRepeats } from '../../agent/reply/repeats.ts';
import type { Json } from '../../agent/values/vocabulary.ts';

const act = (...inputs: Json[]): TurnDecision => ({
  type: 'act',
  actions: inputs.map((toolInput) => ({ tool: 'Search', toolInput })),
});

/** What becomes of turn after turn: the observation that is told in place of each action, or how the run goes on. */
function told(limit: number | undefined, ...turns: TurnDecision[]): unknown[] {
  let repeat: Repeat | undefined;
  return turns.map((turn) => {
    const limited = limitRepeats(turn, limit, repeat);
    repeat = limited.repeat;
    const { decision } = limited;
    return decision.type === 'act'
      ? decision.actions.map(({ observation }: PlannedAction) => observation)
      : decision.type;
  });
}
const third = expect.stringMatching(/Search with the same input, for the 3rd time in a row/u);

describe('a repeat limit of 3', () => {
  test.each<[what: string, turns: TurnDecision[], outcomes: unknown[]]>([
    [
      'tells the third identical action, and stops at the fourth',
      [act('x'), act('x'), act('x'), act('x')],
      [[undefined], [undefined], [third], 'stop'],
    ],
    [
      'begins anew with another action',
      [act('x'), act('x'), act('y'), act('x'), act('x'), act('x')],
      [[undefined], [undefined], [undefined], [undefined], [undefined], [third]],
    ],
    [
      'takes objects whose keys are written in another order for the same',
      [
        act({ a: 1, b: [{ c: 2, d: 3 }] }),
        act({ b: [{ d: 3, c: 2 }], a: 1 }),
        act({ a: 1, b: [{ c: 2, d: 3 }] }),
      ],
      [[undefined], [undefined], [third]],
    ],
    [
      'counts the calls of one turn in their order',
      [act('x', 'x', 'x'), act('y', 'x')],
      [
        [undefined, undefined, third],
        [undefined, undefined],
      ],
    ],
    [
      'tells another input apart from the same text',
      [act('1'), act(1), act('1')],
      [[undefined], [undefined], [undefined]],
    ],
    ['leaves an answer alone', [act('x'), { type: 'finish', output: 'x' }], [[undefined], 'finish']],
  ])('%s', (_what, turns, outcomes) => {
    expect(told(3, ...turns)).toEqual(outcomes);
  });

  test('speaks of unreadable replies as such', () => {
    const unreadable: TurnDecision = {
      type: 'act',
      actions: [{ tool: '_Exception', toolInput: 'Invalid', observation: 'Invalid' }],
    };
    expect(told(3, unreadable, unreadable, unreadable, unreadable)).toEqual([
      ['Invalid'],
      ['Invalid'],
      [expect.stringContaining('could not be read, for the 3rd time in a row')],
      'stop',
    ]);
  });
});

test('without a limit nothing is counted', () => {
  expect(limitRepeats(act('x'), undefined, undefined)).toEqual({ decision: act('x'), repeat: undefined });
});
