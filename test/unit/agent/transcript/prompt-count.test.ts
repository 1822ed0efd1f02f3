import { expect, test } from 'vitest';
import { type PromptCount, nextCount } from '../../../../agent/transcript/prompt-count.ts';

const by = 'agent openai m';

function counts(...pairs: [tokens: number, estimate: number, by?: string][]): (PromptCount | undefined)[] {
  let before: PromptCount | undefined;
  return pairs.map(([tokens, estimate, asked = by]) => {
    before = nextCount(before, { by: asked, tokens, estimate });
    return before;
  });
}
const leftOut = (...pairs: [tokens: number, estimate: number, by?: string][]) =>
  counts(...pairs).map((count) => count?.leftOut === true);

test('a count that stays or falls while the prompt grows shows that the server left something out', () => {
  expect(leftOut([1_203, 1_250], [1_815, 1_860], [1_764, 2_480], [1_764, 3_090])).toEqual([
    false,
    false,
    true,
    true,
  ]);
  // Steps too small for one of them to show it.
  expect(leftOut([2_000, 2_050], [2_010, 2_100], [1_990, 2_200], [2_005, 2_400])).toEqual([
    false,
    false,
    false,
    true,
  ]);
});

test('a count far below what the text can be shows it at the first call', () => {
  expect(leftOut([4_096, 20_000])).toEqual([true]);
  expect(leftOut([4_096, 9_000])).toEqual([false]);
});

test('a prompt that got shorter, another model, and a server that counts nothing show nothing', () => {
  expect(leftOut([5_000, 5_200], [2_000, 2_100], [2_600, 2_700])).toEqual([false, false, false]);
  expect(leftOut([5_000, 5_200], [3_000, 6_000, 'agent openai other'])).toEqual([false, false]);
  expect(leftOut([5_000, 5_200], [0, 6_000])).toEqual([false, false]);
  expect(counts([900, 950], [0, 5_000])).toEqual([undefined, undefined]);
});

test('what was found stays for the run, also after its prompt was made shorter', () => {
  expect(leftOut([4_096, 20_000], [1_100, 1_200], [1_300, 1_400])).toEqual([true, true, true]);
  expect(counts([4_096, 20_000])).toEqual([{ leftOut: true }]);
});

test('a count stays the same object where nothing has to be recorded', () => {
  const before = { tokens: 5_000, estimate: 5_200 };
  expect(nextCount(before, { tokens: 4_900, estimate: 5_300 })).toBe(before);
  const found = { by, tokens: 5_000, estimate: 5_200, leftOut: true } as const; // as it was recorded at first
  expect(nextCount(found, { tokens: 9_000, estimate: 9_000 })).toBe(found);
});
