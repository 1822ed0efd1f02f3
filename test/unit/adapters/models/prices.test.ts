import { describe, expect, test } from 'vitest';
import { type Price, type Tokens, usageOf } from '../../../../agent/definition/price.ts';
import { type Usage, addUsage, knownCost, noUsage } from '../../../../agent/values/vocabulary.ts';
import { defineModel } from '../../../../adapters/models/model.ts';
import { agentTool } from '../../../../adapters/tools/agent-tool.ts';
import { agent, loadedConfig, problemOf, tool } from '../../../support/config.ts';

const price: Price = { input: 0.15, output: 0.6, cachedInput: 0.075 };

describe('the cost of a reply', () => {
  test.each<[what: string, tokens: Tokens, cost: number | undefined]>([
    ['is its tokens at their prices, per million', tokens(1_000_000, 1_000_000), 0.75],
    ['takes cached tokens at their own price', { ...tokens(1_000_000, 0), cachedTokens: 400_000 }, 0.12],
    ['has no more cached tokens than the prompt', { ...tokens(100, 0), cachedTokens: 1_000_000 }, 0.0000075],
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
    const sum = { ...noUsage, ...tokens(20, 10), modelCalls: 2, cachedTokens: 7 };
    expect(addUsage(some, unpriced)).toEqual(sum);
    expect(addUsage(some, some).cachedTokens).toBe(14);
    expect(addUsage(unpriced, unpriced)).not.toHaveProperty('cachedTokens');
  });
});

function tokens(promptTokens: number, completionTokens: number): Tokens {
  return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
}

const mini = { input: 0.15, output: 0.6 };
const mine = defineModel({ call: () => Promise.reject(new Error('never asked')) });

describe('prices are refused', () => {
  test.each<[what: string, prices: unknown, message: string]>([
    ['below nothing', { m: { input: -1, output: 1 } }, 'prices.m.input'],
    ['without end', { m: { input: 1, output: Infinity } }, 'prices.m.output'],
    ['that are no numbers', { m: { input: '$1', output: 1 } }, 'prices.m.input'],
    ['without what the answer costs', { m: { input: 1 } }, 'prices.m.output: is not an amount of US dollars'],
    ['for no model', { '': mini }, 'prices'],
    [
      'with an unknown field',
      { m: { ...mini, cached: 1 } },
      'prices.m: unknown option cached (known: input, output, cachedInput)',
    ],
  ])('%s', (_what, prices, message) => {
    expect(problemOf({ agents: [agent()], prices })).toContain(`the config: ${message}`);
  });
});

describe('the price of a run', () => {
  const [one, none] = [
    { input: 1, output: 1 },
    { input: 0, output: 0 },
  ];
  const config = loadedConfig({
    agents: [agent(), agent({ name: 'inline', model: mine }), agent({ name: 'named', model: 'local' })],
    models: { local: mine },
    prices: { 'gpt-4o-mini': { ...mini, cachedInput: 0.075 }, inline: one, local: none },
  });

  test.each<[what: string, name: string, model: string | undefined, price: object | undefined]>([
    ['is that of its model', 'a', undefined, { ...mini, cachedInput: 0.075 }],
    ['is that of the model it has in place of the agent’s', 'a', 'local', { input: 0, output: 0 }],
    ['is unknown where its own model has none', 'a', 'gpt-4o', undefined],
    ['is not that of a model with a similar name', 'a', 'gpt-4o-mini-2024-07-18', undefined],
    ['is not a field that every object has', 'a', 'constructor', undefined],
    ['stands under the name in the config', 'named', undefined, { input: 0, output: 0 }],
    ["stands under the agent's name for a model in place", 'inline', undefined, one],
  ])('%s', (_what, name, model, price) => {
    expect(config.manifest(name, { model })?.price).toEqual(price);
  });
});

describe('a budget of money', () => {
  const ADD = 'in US dollars per million tokens; 0 for a model that costs nothing.';
  const lacks = (model: string, shown = `"${model}"`) =>
    `Agent "a" has a budget of cost, but there is no price of ${shown}. Add to defineConfig: prices: { '${model}': { input, output } }, ${ADD}`;
  const cost = { cost: 1 };
  const prices = { 'gpt-4o-mini': mini };

  test('is refused where the model has no price, and the price to add is named', () => {
    expect(problemOf({ agents: [agent({ budget: cost })] })).toBe(lacks('gpt-4o-mini'));
  });

  test('is refused where a sub-agent, however deep, has a model without a price', () => {
    const agents = [
      agent({ budget: cost, tools: [delegate('b')] }),
      agent({ name: 'b', tools: [delegate('c'), tool()] }),
      agent({ name: 'c', model: 'big', tools: [delegate('b2', 'b')] }),
    ];
    expect(problemOf({ agents, prices })).toBe(lacks('big', '"big" (agent "c")'));
    expect(problemOf({ agents, prices: { ...prices, big: mini } })).toBe('none');
  });

  test.each([
    ['needs no price where it is one of tokens', { budget: { totalTokens: 5 } }],
    ['needs no price where it has no limit', { budget: { cost: null } }],
  ])('%s', (_what, fields) => {
    expect(problemOf({ agents: [agent(fields)] })).toBe('none');
  });

  test('is refused in the same way where only the run has it', () => {
    const loaded = loadedConfig({ agents: [agent()] });
    expect(() => loaded.manifest('a', { budget: cost })).toThrow('no price of "gpt-4o-mini"');
    expect(() => loaded.manifest('a', {}, cost)).toThrow('no price of "gpt-4o-mini"');
  });

  test("holds for a run's own model too", () => {
    const loaded = loadedConfig({ agents: [agent({ budget: cost })], prices });
    expect(() => loaded.manifest('a', { model: 'gpt-4o' })).toThrow('no price of "gpt-4o"');
    expect(loaded.manifest('a', { model: 'gpt-4o', budget: { cost: null } })?.budget).toBeUndefined();
  });

  test("is what is left of the parent's, where that is less", () => {
    const loaded = loadedConfig({ agents: [agent({ budget: cost })], prices });
    const left = { cost: 0.2, totalTokens: 7 };
    expect(loaded.manifest('a', {}, left)?.budget).toEqual(left);
    expect(loaded.manifest('a', {}, { cost: 3 })?.budget).toEqual({ cost: 1 });
  });
});

function delegate(name: string, to = name) {
  return agentTool({ name, description: 'asks another agent', agent: to });
}
