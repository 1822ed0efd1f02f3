import { describe, expect, test } from 'vitest';
import type { TurnDecision } from '../../../../agent/calls/calls.ts';
import type { Repeat } from '../../../../agent/calls/for-next-call.ts';
import { limitRepeats } from '../../../../agent/reply/repeats.ts';
import { type Json, asText } from '../../../../agent/values/vocabulary.ts';

const act = (...inputs: Json[]): TurnDecision => ({
  type: 'act',
  actions: inputs.map((toolInput) => ({ tool: 'Search', toolInput })),
});

/** The fate of the calls, turn by turn: a call runs, or the model is told of the repetition, until the run stops. */
function told(...turns: TurnDecision[]): string {
  let repeat: Repeat | undefined;
  const outcomes = turns.flatMap((turn) => {
    const { decision, ...limited } = limitRepeats(turn, 3, repeat);
    repeat = limited.repeat;
    return decision.type === 'act'
      ? decision.actions.map(({ observation }) => outcomeOf(observation))
      : decision.type;
  });
  return outcomes.join(' ');
}

function outcomeOf(observation: Json | undefined): string {
  if (observation === undefined) return 'runs';
  const told = /(Search with the same input|could not be read), for the 3rd time in a row/u;
  return told.test(asText(observation)) ? 'told' : asText(observation);
}

const times = (count: number, turn: TurnDecision) => Array.from({ length: count }, () => turn);

describe('a repeat limit of 3', () => {
  const sorted = act({ a: 1, b: [{ c: 2, d: 3 }] });
  const unsorted = act({ b: [{ d: 3, c: 2 }], a: 1 });
  const unreadable: TurnDecision = {
    type: 'act',
    actions: [{ tool: '_Exception', toolInput: 'Invalid', observation: 'Invalid' }],
  };

  test.each<[what: string, turns: TurnDecision[], outcomes: string]>([
    ['tells the third same action, and stops at the fourth', times(4, act('x')), 'runs runs told stop'],
    ['begins anew with another', 'xxyxxx'.split('').map((x) => act(x)), 'runs runs runs runs runs told'],
    ['takes objects for the same in any order of keys', [sorted, unsorted, sorted], 'runs runs told'],
    ['counts the calls of a turn in order', [act('x', 'x', 'x'), act('y', 'x')], 'runs runs told runs runs'],
    ['tells another input apart from the same text', [act('1'), act(1), act('1')], 'runs runs runs'],
    ['leaves an answer alone', [act('x'), { type: 'finish', output: 'x' }], 'runs finish'],
    ['speaks of unreadable replies as such', times(4, unreadable), 'Invalid Invalid told stop'],
  ])('%s', (_what, turns, outcomes) => {
    expect(told(...turns)).toBe(outcomes);
  });
});

test('without a limit nothing is counted', () => {
  expect(limitRepeats(act('x'), undefined, undefined)).toEqual({ decision: act('x'), repeat: undefined });
});
