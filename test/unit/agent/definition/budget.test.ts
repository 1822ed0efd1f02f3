import { describe, expect, test } from 'vitest';
import { type Budget, overriddenBudget, smallerBudget } from '../../../../agent/definition/budget.ts';
import type { AgentManifest } from '../../../../agent/definition/manifest.ts';
import { usageOf } from '../../../../agent/definition/price.ts';
import {
  type Counters,
  budgetLeft,
  freshCounters,
  isUsedUp,
  reachedLimit,
} from '../../../../agent/limits/counters.ts';
import { stopMessage } from '../../../../agent/limits/stop-message.ts';
import { type Usage, addUsage, noUsage } from '../../../../agent/values/vocabulary.ts';
import { tokenWords, totalTokenWords, wordCount } from '../../../../features/render/words/usage-words.ts';
import { sampleManifest } from '../../../support/manifest.ts';

describe('a budget', () => {
  test.each<[what: string, budget: Budget | undefined, usage: Partial<Usage>, isOver: boolean]>([
    ['that there is none of is never used up', undefined, { totalTokens: 1e9, cost: 1e6 }, false],
    ['of tokens lasts while one is left', { totalTokens: 100 }, { totalTokens: 99 }, false],
    ['of tokens is used up with the last', { totalTokens: 100 }, { totalTokens: 100 }, true],
    ['of tokens is used up by more than it has', { totalTokens: 100 }, { totalTokens: 250 }, true],
    ['of money lasts while some is left', { cost: 0.5 }, { cost: 0.499999 }, false],
    ['of money is used up with the last', { cost: 0.3 }, { cost: 0.3 }, true],
    ['of money counts what is known to be paid', { cost: 0.3 }, { partialCost: 0.3 }, true],
    ['of both ends with one of them', { totalTokens: 100, cost: 9 }, { totalTokens: 100, cost: 0 }, true],
    ['of nothing is used up before the first call', { totalTokens: 0 }, {}, true],
    ['without a limit in it is never used up', { totalTokens: null }, { totalTokens: 1e9 }, false],
  ])('%s', (_what, budget, usage, isOver) => {
    const [manifest, used] = [sampleManifest({ budget }), counters({ usage: { ...noUsage, ...usage } })];
    expect(isUsedUp(manifest, used)).toBe(isOver);
    expect(reachedLimit(manifest, used, 0)).toBe(isOver ? 'budget' : undefined);
  });

  test.each<[what: string, allowance: Counters['allowance'], left: Budget]>([
    ['is what it has less what was used', undefined, { totalTokens: 0, cost: 0.7 }],
    ['grows by what a person has granted', { tokens: 50, cost: 0.1 }, { totalTokens: 20, cost: 0.8 }],
    ['is not less than nothing', { tokens: 10 }, { totalTokens: 0, cost: 0.7 }],
  ])('as it is left %s', (_what, allowance, left) => {
    const manifest = sampleManifest({ budget: { totalTokens: 100, cost: 1 } });
    const usage = { ...noUsage, totalTokens: 130, cost: 0.3 };
    expect(budgetLeft(manifest, counters({ usage, allowance }))).toEqual(left);
  });

  test('leaves a sub-agent what is unlimited unlimited', () => {
    expect(budgetLeft(sampleManifest(), counters({}))).toBeUndefined();
    expect(budgetLeft(sampleManifest({ budget: { cost: 1 } }), counters({}))).toEqual({ cost: 1 });
  });
});

describe("a run's own budget", () => {
  test.each<[what: string, own: Budget | undefined, given: Budget | undefined, is: Budget | undefined]>([
    ['a limit takes the place of the agent’s', { cost: 1 }, { cost: 5 }, { cost: 5 }],
    ["others stay the agent's", { cost: 1, totalTokens: 9 }, { cost: 5 }, { cost: 5, totalTokens: 9 }],
    ['null takes a limit away', { cost: 1, totalTokens: 9 }, { cost: null }, { totalTokens: 9 }],
    ['null for all leaves no budget', { cost: 1 }, { cost: null }, undefined],
    ['nothing given leaves the agent its own', { cost: 1 }, undefined, { cost: 1 }],
    ['an agent without one gets it', undefined, { totalTokens: 9 }, { totalTokens: 9 }],
  ])('%s', (_what, own, given, is) => {
    expect(overriddenBudget(own, given)).toEqual(is);
  });
});

describe('a sub-agent keeps to', () => {
  const both = { cost: 1, totalTokens: 3 };
  test.each<[what: string, own: Budget | undefined, parents: Budget | undefined, is: Budget | undefined]>([
    ['no budget where neither has one', undefined, undefined, undefined],
    ['its own where its parent has none', { cost: 1 }, undefined, { cost: 1 }],
    ["its parent's where it has none", undefined, { totalTokens: 0 }, { totalTokens: 0 }],
    ['the smaller of each kind', { cost: 1, totalTokens: 9 }, { cost: 2, totalTokens: 3 }, both],
    ['both where their kinds differ', { cost: 1 }, { totalTokens: 3 }, both],
  ])('%s', (_what, own, parents, is) => {
    expect(smallerBudget(own, parents)).toEqual(is);
  });
});

describe('a grant of a person is added', () => {
  test.each<
    [what: string, manifest: Parameters<typeof sampleManifest>[0], used: Partial<Counters>, at: number]
  >([
    ['to the turns', { maxIterations: 2 }, { iterations: 2, allowance: { iterations: 1 } }, 0],
    ['to the time', { maxExecutionTimeMs: 100 }, { allowance: { timeMs: 50 } }, 149],
    ['to the budget', { budget: { totalTokens: 0 } }, { allowance: { tokens: 1 } }, 0],
  ])('%s', (_what, manifest, used, at) => {
    const { allowance: _granted, ...without } = used;
    expect(reachedLimit(sampleManifest(manifest), counters(used), at)).toBeUndefined();
    expect(reachedLimit(sampleManifest(manifest), counters(without), at)).toBeDefined();
  });
});

function counters(fields: Partial<Counters>): Counters {
  return { ...freshCounters(0), ...fields };
}

const LANGCHAIN = 'Agent stopped due to iteration limit or time limit.';
const TOKENS = 'Agent stopped because its token budget was used up.';

describe('the answer of a run that a limit stopped', () => {
  test.each<[own: AgentManifest['stopMessage'], answers: [iterations: string, time: string, budget: string]]>(
    [
      [undefined, [LANGCHAIN, LANGCHAIN, TOKENS]],
      ['Enough.', ['Enough.', 'Enough.', 'Enough.']],
      [{ budget: 'No more money.' }, [LANGCHAIN, LANGCHAIN, 'No more money.']],
      [{ maxIterations: 'Too long.', maxExecutionTime: 'Too late.' }, ['Too long.', 'Too late.', TOKENS]],
    ],
  )('with the stopMessage %j', (own, answers) => {
    const manifest = sampleManifest({ budget: { totalTokens: 1 }, stopMessage: own });
    const used = counters({ usage: { ...noUsage, totalTokens: 1 } });
    const stops = ['max_iterations', 'max_execution_time', 'budget'] as const;
    expect(stops.map((stop) => stopMessage(manifest, used, stop))).toEqual(answers);
  });

  test('names the budget of money', () => {
    const manifest = sampleManifest({ budget: { totalTokens: 9, cost: 1 } });
    const used = counters({ usage: { ...noUsage, totalTokens: 1, cost: 1 } });
    expect(stopMessage(manifest, used, 'budget')).toBe('Agent stopped because its cost budget was used up.');
  });
});

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
    [
      'known, with cached ones',
      { ...counted, cachedTokens: 900 },
      '1,200 (900 cached) + 34 tokens',
      '1,234 tokens (900 cached)',
    ],
    ['unknown', uncounted, 'tokens unknown', 'tokens unknown'],
    ['known in part', addUsage(counted, uncounted), 'at least 1,200 + 34 tokens', 'at least 1,234 tokens'],
    ['of an old run, recorded as zeros', { ...noUsage, modelCalls: 2 }, 'tokens unknown', 'tokens unknown'],
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
