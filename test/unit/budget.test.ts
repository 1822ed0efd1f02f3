import { describe, expect, test } from 'vitest';
import { type Budget, overriddenBudget, smallerBudget } from '../../agent/budget.ts';
import { type Counters, budgetLeft, freshCounters, isUsedUp, reachedLimit } from '../../agent/counters.ts';
import { type Usage, noUsage } from '../../agent/vocabulary.ts';
import { sampleManifest } from '../support/manifest.ts';

describe('a budget', () => {
  test.each<[what: string, budget: Budget | undefined, usage: Partial<Usage>, isOver: boolean]>([
    ['that there is none of is never used up', undefined, { totalTokens: 1e9, cost: 1e6 }, false],
    ['of tokens lasts while one is left', { totalTokens: 100 }, { totalTokens: 99 }, false],
    ['of tokens is used up with the last', { totalTokens: 100 }, { totalTokens: 100 }, true],
    ['of tokens is used up by more than it has', { totalTokens: 100 }, { totalTokens: 250 }, true],
    ['of money lasts while some is left', { cost: 0.5 }, { cost: 0.499999 }, false],
    ['of money is used up with the last', { cost: 0.3 }, { cost: 0.3 }, true],
    ['of money counts what is known to be paid', { cost: 0.3 }, { partialCost: 0.3 }, true],
    [
      'of both is used up with one of them',
      { totalTokens: 100, cost: 9 },
      { totalTokens: 100, cost: 0 },
      true,
    ],
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

  test('is named after the limits of turns and of time', () => {
    const manifest = sampleManifest({ budget: { totalTokens: 0 }, maxIterations: 0 });
    expect(reachedLimit(manifest, counters({}), 0)).toBe('max_iterations');
  });
});

describe("of a run's own budget", () => {
  test.each<[what: string, own: Budget | undefined, given: Budget | undefined, is: Budget | undefined]>([
    ['a limit takes the place of the agent’s', { cost: 1 }, { cost: 5 }, { cost: 5 }],
    [
      "one that is not given stays the agent's",
      { cost: 1, totalTokens: 9 },
      { cost: 5 },
      { cost: 5, totalTokens: 9 },
    ],
    ['null takes a limit away', { cost: 1, totalTokens: 9 }, { cost: null }, { totalTokens: 9 }],
    ['null for all leaves no budget', { cost: 1 }, { cost: null }, undefined],
    ['nothing given leaves the agent its own', { cost: 1 }, undefined, { cost: 1 }],
    ['an agent without one gets it', undefined, { totalTokens: 9 }, { totalTokens: 9 }],
  ])('%s', (_what, own, given, is) => {
    expect(overriddenBudget(own, given)).toEqual(is);
  });
});

describe('a sub-agent keeps to', () => {
  test.each<[what: string, own: Budget | undefined, parents: Budget | undefined, is: Budget | undefined]>([
    ['no budget where neither has one', undefined, undefined, undefined],
    ['its own where its parent has none', { cost: 1 }, undefined, { cost: 1 }],
    ["its parent's where it has none", undefined, { totalTokens: 0 }, { totalTokens: 0 }],
    [
      'the smaller of both, each kind by itself',
      { cost: 1, totalTokens: 9 },
      { cost: 2, totalTokens: 3 },
      { cost: 1, totalTokens: 3 },
    ],
    [
      'limits of both where they are of different kinds',
      { cost: 1 },
      { totalTokens: 3 },
      { cost: 1, totalTokens: 3 },
    ],
  ])('%s', (_what, own, parents, is) => {
    expect(smallerBudget(own, parents)).toEqual(is);
  });
});

describe('what a person has granted is added', () => {
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
