import { expect, test } from 'vitest';
import { type Usage, noUsage } from '../../agent/vocabulary.ts';
import { costWords } from '../../cli/print/cost.ts';

test.each<[usage: Partial<Usage>, words: string[]]>([
  [{}, []],
  [{ cost: 0 }, ['$0']],
  [{ cost: 0.00000105 }, ['<$0.0001']],
  [{ cost: 0.0001 }, ['$0.0001']],
  [{ cost: 0.01234 }, ['$0.0123']],
  [{ cost: 0.5 }, ['$0.5000']],
  [{ cost: 1.005001 }, ['$1.01']],
  [{ cost: 1234.5 }, ['$1,234.50']],
  [{ partialCost: 0.01234 }, ['at least $0.0123']],
])('what was paid, %j, is printed as %j', (usage, words) => {
  expect(costWords({ ...noUsage, ...usage })).toEqual(words);
});
