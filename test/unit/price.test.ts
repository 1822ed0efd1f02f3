import { describe, expect, test } from 'vitest';
import { type Price, type Tokens, usageOf } from '../../agent/price.ts';
import { type Usage, addUsage, knownCost, noUsage } from '../../agent/vocabulary.ts';

const price: Price = { input: 0.15, output: 0.6, cachedInput: 0.075 };

describe('what a reply costs', () => {
  test.each<[what: string, tokens: Tokens, cost: number | undefined]>([
    ['is its tokens at their prices, per million', tokens(1_000_000, 1_000_000), 0.75],
    ['takes cached tokens at their own price', { ...tokens(1_000_000, 0), cachedTokens: 400_000 }, 0.12],
    [
      'has no more cached tokens than the prompt has',
      { ...tokens(100, 0), cachedTokens: 1_000_000 },
      0.0000075,
    ],
    ['has no noise of binary fractions', tokens(3, 1), 0.00000105],
  ])('%s', (_what, given, cost) => {
    expect(usageOf(given, 1, price)).toEqual({ ...given, modelCalls: 1, cost });
  });

  test('takes cached tokens as any others where they have no price of their own', () => {
    const given = { ...tokens(1_000_000, 0), cachedTokens: 400_000 };
    expect(usageOf(given, 1, { input: 2, output: 8 }).cost).toBe(2);
  });

  test('is nothing for a reply that nobody was asked for', () => {
    expect(usageOf(tokens(0, 0), 0, price)).toMatchObject({ modelCalls: 0, cost: 0 });
  });

  test('is nothing for a model that costs nothing', () => {
    expect(usageOf(tokens(10, 10), 1, { input: 0, output: 0 }).cost).toBe(0);
  });

  test('leaves no trace where there is no price', () => {
    expect(usageOf(tokens(10, 5), 1, undefined)).toStrictEqual({ ...tokens(10, 5), modelCalls: 1 });
  });
});

describe('the sum of usages', () => {
  const priced = usageOf(tokens(1_000_000, 0), 1, price);
  const unpriced = usageOf(tokens(10, 5), 1, undefined);
  const cached = usageOf(tokens(0, 0), 0, undefined);

  test.each<[what: string, all: Usage[], cost: Pick<Usage, 'cost' | 'partialCost'>]>([
    ['of none knows of no cost', [], {}],
    ['without any price knows of no cost', [unpriced, unpriced], {}],
    ['of priced calls has their cost', [priced, priced], { cost: 0.3 }],
    ['is no total once one call had no price', [priced, unpriced], { partialCost: 0.15 }],
    ['is no total either when that call came first', [unpriced, priced], { partialCost: 0.15 }],
    ['stays none whatever comes after', [priced, unpriced, priced], { partialCost: 0.3 }],
    ['is a total with replies that nobody was asked for', [cached, priced, cached], { cost: 0.15 }],
  ])('%s', (_what, all, cost) => {
    const sum = all.reduce(addUsage, noUsage);
    expect({ cost: sum.cost, partialCost: sum.partialCost }).toEqual(cost);
    expect(knownCost(sum)).toBe(cost.cost ?? cost.partialCost ?? 0);
  });

  test('is the same in whatever order parts of it were summed up', () => {
    const all = [priced, cached, unpriced, priced];
    const [first = noUsage, ...others] = all;
    expect(addUsage(first, others.reduce(addUsage, noUsage))).toEqual(all.reduce(addUsage, noUsage));
  });

  test('has no noise of binary fractions', () => {
    const tenth = { ...noUsage, modelCalls: 1, cost: 0.1 };
    expect([tenth, tenth, tenth].reduce(addUsage, noUsage).cost).toBe(0.3);
  });

  test('has cached tokens where any part has', () => {
    const some = { ...unpriced, cachedTokens: 7 };
    expect(addUsage(some, unpriced)).toEqual({
      ...noUsage,
      ...tokens(20, 10),
      modelCalls: 2,
      cachedTokens: 7,
    });
    expect(addUsage(some, some).cachedTokens).toBe(14);
    expect(addUsage(unpriced, unpriced)).not.toHaveProperty('cachedTokens');
  });
});

function tokens(promptTokens: number, completionTokens: number): Tokens {
  return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
}
