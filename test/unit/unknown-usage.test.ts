import { describe, expect, test } from 'vitest';
import { freshCounters, reachedLimit } from '../../agent/counters.ts';
import { usageOf } from '../../agent/price.ts';
import { type Usage, addUsage, noUsage } from '../../agent/vocabulary.ts';
import { tokenWords, totalTokenWords, wordCount } from '../../cli/print/tokens.ts';
import { sampleManifest } from '../support/manifest.ts';

const price = { input: 1, output: 2 };
const counted = usageOf({ promptTokens: 1200, completionTokens: 34, totalTokens: 1234 }, 1, undefined);
const uncounted = usageOf(undefined, 1, price, { prompt: 4001, reply: 400 });

describe('a call whose tokens the server does not say', () => {
  test('is in no sum and no cost, but is told, with a guess for budgets', () => {
    expect(uncounted).toEqual({
      promptTokens: 0,
      completionTokens: 0,
      totalTokens: 0,
      modelCalls: 1,
      uncountedCalls: 1,
      estimatedTokens: 1101,
      estimatedCost: 0.001201,
    });
    expect(addUsage(addUsage(noUsage, counted), addUsage(uncounted, uncounted))).toMatchObject({
      totalTokens: 1234,
      modelCalls: 3,
      uncountedCalls: 2,
      estimatedTokens: 2202,
    });
  });

  test('costs nothing where nobody was asked', () => {
    expect(usageOf(undefined, 0, price)).toEqual({ ...noUsage, cost: 0 });
  });

  test.each<[string, { totalTokens?: number; cost?: number }, Usage, boolean]>([
    ['of tokens it has used up', { totalTokens: 1000 }, uncounted, true],
    ['of tokens that is larger than the guess', { totalTokens: 1102 }, uncounted, false],
    ['of money it has used up', { cost: 0.001 }, uncounted, true],
    ['of money that is larger than the guess', { cost: 0.01 }, uncounted, false],
    ['that only both together have used up', { totalTokens: 2000 }, addUsage(counted, uncounted), true],
  ])('counts against a budget %s', (_what, budget, usage, isUsedUp) => {
    const manifest = sampleManifest({ budget });
    const counters = { ...freshCounters(0), usage };
    expect(reachedLimit(manifest, counters, 0)).toBe(isUsedUp ? 'budget' : undefined);
  });

  test.each<[string, Usage, string, string]>([
    ['known', counted, '1,200 + 34 tokens', '1,234 tokens'],
    ['unknown', uncounted, 'tokens unknown', 'tokens unknown'],
    ['known in part', addUsage(counted, uncounted), 'at least 1,200 + 34 tokens', 'at least 1,234 tokens'],
    [
      'of a run of old, which recorded zeros',
      { ...noUsage, modelCalls: 2 },
      'tokens unknown',
      'tokens unknown',
    ],
    ['of nobody', noUsage, '0 + 0 tokens', '0 tokens'],
  ])('is printed as what it is: %s', (_what, usage, words, total) => {
    expect([tokenWords(usage), totalTokenWords(usage)]).toEqual([words, total]);
  });
});

test.each([
  ['one', '1 word'],
  ['Let me look, then answer.', '5 words'],
  ['我先想一想。', /^[2-6] words$/],
  ['word '.repeat(10_000), 'about 10,000 words'],
])('the words of a thought are counted: %.20s', (text, words) => {
  expect(wordCount(text)).toMatch(words);
});

test('tokens that the provider had in its cache are told within those of the prompt', () => {
  expect(tokenWords({ ...counted, cachedTokens: 1100 })).toBe('1,200 (1,100 cached) + 34 tokens');
  expect(tokenWords(addUsage(uncounted, { ...counted, cachedTokens: 7 }))).toBe(
    'at least 1,200 (7 cached) + 34 tokens',
  );
});
