import { describe, expect, test } from 'vitest';
import { agentTool } from '../../tools/agent-tool.ts';
import { defineModel } from '../../models/model.ts';
import { agent, loadedConfig, problemOf, tool } from '../support/config.ts';

const mini = { input: 0.15, output: 0.6 };
const mine = defineModel({ call: () => Promise.reject(new Error('never asked')) });

describe('prices are refused', () => {
  test.each<[what: string, prices: unknown, message: string]>([
    ['below nothing', { m: { input: -1, output: 1 } }, 'prices.m.input'],
    ['without end', { m: { input: 1, output: Infinity } }, 'prices.m.output'],
    ['that are no numbers', { m: { input: '$1', output: 1 } }, 'prices.m.input'],
    ['without what the answer costs', { m: { input: 1 } }, 'prices.m.output: is no amount of US dollars'],
    ['for no model', { '': mini }, 'prices'],
    [
      'with an unknown field, and told the known ones',
      { m: { ...mini, cached: 1 } },
      'prices.m: unknown option cached (known: input, output, cachedInput)',
    ],
  ])('%s', (_what, prices, message) => {
    expect(problemOf({ agents: [agent()], prices })).toContain(`the config: ${message}`);
  });
});

describe('the price of a run', () => {
  const config = loadedConfig({
    agents: [agent(), agent({ name: 'inline', model: mine }), agent({ name: 'named', model: 'local' })],
    models: { local: mine },
    prices: {
      'gpt-4o-mini': { ...mini, cachedInput: 0.075 },
      inline: { input: 1, output: 1 },
      local: { input: 0, output: 0 },
    },
  });

  test.each<[what: string, name: string, model: string | undefined, price: object | undefined]>([
    ['is that of its model', 'a', undefined, { ...mini, cachedInput: 0.075 }],
    ['is that of the model it has in place of the agent’s', 'a', 'local', { input: 0, output: 0 }],
    ['is unknown where its own model has none', 'a', 'gpt-4o', undefined],
    ['is not that of a model with a similar name', 'a', 'gpt-4o-mini-2024-07-18', undefined],
    ['is no field that every object has', 'a', 'constructor', undefined],
    ['stands under the name in the config', 'named', undefined, { input: 0, output: 0 }],
    [
      "stands under the agent's name for a model given in place",
      'inline',
      undefined,
      { input: 1, output: 1 },
    ],
  ])('%s', (_what, name, model, price) => {
    expect(config.manifest(name, { model })?.price).toEqual(price);
  });
});

describe('a budget of money', () => {
  const ADD = 'in US dollars per million tokens; 0 for a model that costs nothing.';
  const cost = { cost: 1 };
  const prices = { 'gpt-4o-mini': mini };

  test('is refused where the model has no price, and the price to add is named', () => {
    expect(problemOf({ agents: [agent({ budget: cost })] })).toBe(
      `Agent "a" has a budget of cost, but there is no price of "gpt-4o-mini". Add to defineConfig: prices: { 'gpt-4o-mini': { input, output } }, ${ADD}`,
    );
  });

  test('is refused where a sub-agent, however deep, has a model without a price', () => {
    const agents = [
      agent({ budget: cost, tools: [delegate('b')] }),
      agent({ name: 'b', tools: [delegate('c'), tool()] }),
      agent({ name: 'c', model: 'big', tools: [delegate('b2', 'b')] }),
    ];
    expect(problemOf({ agents, prices })).toBe(
      `Agent "a" has a budget of cost, but there is no price of "big" (agent "c"). Add to defineConfig: prices: { 'big': { input, output } }, ${ADD}`,
    );
    expect(problemOf({ agents, prices: { ...prices, big: mini } })).toBe('none');
  });

  test.each([
    ['needs no price where it is one of tokens', { budget: { totalTokens: 5 } }],
    ['needs no price where it has no limit', { budget: { cost: null } }],
  ])('%s', (_what, fields) => {
    expect(problemOf({ agents: [agent(fields)] })).toBe('none');
  });

  test('that only a run has is refused in the same way', () => {
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
    expect(loaded.manifest('a', {}, { cost: 0.2, totalTokens: 7 })?.budget).toEqual({
      cost: 0.2,
      totalTokens: 7,
    });
    expect(loaded.manifest('a', {}, { cost: 3 })?.budget).toEqual({ cost: 1 });
  });
});

function delegate(name: string, to = name) {
  return agentTool({ name, description: 'asks another agent', agent: to });
}
