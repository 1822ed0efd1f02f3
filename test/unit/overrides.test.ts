import { Client, Connection } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { checkOverrides, overridesOf } from '../../agent/definition/overrides.ts';
import { overridesIn } from '../../cli/options/override-options.ts';
import { AgentClient } from '../../client/api/agent-client.ts';
import { checkId } from '../../client/start/run-id.ts';

describe("a run's overrides of its agent", () => {
  test.each<[overrides: object]>([
    [{}],
    [{ model: 'm', maxIterations: 0, maxExecutionTimeMs: 0 }],
    [{ maxIterations: null, maxExecutionTimeMs: null }],
    [{ model: undefined }],
    [{ budget: undefined }],
    [{ budget: {} }],
    [{ budget: { totalTokens: 0, cost: 0.5 } }],
    [{ budget: { totalTokens: null, cost: null } }],
  ])('may be %j', (overrides) => {
    expect(checkOverrides(overrides)).toBeUndefined();
  });

  test.each<[overrides: unknown, sentence: string]>([
    [{ model: '' }, 'model has to be the name of a model, but is "".'],
    [{ model: 3 }, 'model has to be the name of a model, but is 3.'],
    [{ maxIterations: 1.5 }, 'maxIterations has to be a whole number, or null for no limit, but is 1.5.'],
    [{ maxIterations: -1 }, 'maxIterations has to be a whole number, or null for no limit, but is -1.'],
    ...['10m', NaN, Infinity, -1, 2 ** 31].map((given): [unknown, string] => [
      { maxExecutionTimeMs: given },
      `maxExecutionTimeMs has to be a whole number of milliseconds up to 2147483647 (24 days), or null for no limit, but is ${typeof given === 'string' ? JSON.stringify(given) : given}.`,
    ]),
    ...[-1, 0.5, '1000', Infinity].map((given): [unknown, string] => [
      { budget: { totalTokens: given } },
      `budget.totalTokens has to be a whole number of tokens, or null for no limit, but is ${typeof given === 'string' ? JSON.stringify(given) : given}.`,
    ]),
    ...[-0.01, '$1', NaN, Infinity].map((given): [unknown, string] => [
      { budget: { cost: given } },
      `budget.cost has to be an amount of US dollars from 0, or null for no limit, but is ${typeof given === 'string' ? JSON.stringify(given) : given}.`,
    ]),
    [
      { budget: { tokens: 5 } },
      'A run cannot override "budget.tokens", only model, maxIterations, maxExecutionTimeMs, budget.totalTokens, budget.cost.',
    ],
    [
      { budget: 5 },
      'A run cannot override "budget", only model, maxIterations, maxExecutionTimeMs, budget.totalTokens, budget.cost.',
    ],
    [
      { temperature: 0 },
      'A run cannot override "temperature", only model, maxIterations, maxExecutionTimeMs, budget.totalTokens, budget.cost.',
    ],
    [
      { constructor: 1 },
      'A run cannot override "constructor", only model, maxIterations, maxExecutionTimeMs, budget.totalTokens, budget.cost.',
    ],
    [
      'm',
      'The overrides of a run are an object of model, maxIterations, maxExecutionTimeMs, budget.totalTokens, budget.cost.',
    ],
    [
      null,
      'The overrides of a run are an object of model, maxIterations, maxExecutionTimeMs, budget.totalTokens, budget.cost.',
    ],
    [
      [],
      'The overrides of a run are an object of model, maxIterations, maxExecutionTimeMs, budget.totalTokens, budget.cost.',
    ],
  ])('is refused by a sentence where it is %j', (overrides, sentence) => {
    expect(checkOverrides(overrides)).toBe(sentence);
  });
});

/** Never connects: what is refused is refused before anything is sent. */
const client = new AgentClient(
  new Client({ connection: Connection.lazy({ address: '127.0.0.1:1' }) }),
  '127.0.0.1:1',
  'reloop',
);

test.each([
  [
    'a time limit as the config writes it',
    { maxExecutionTime: '10m' },
    'maxExecutionTime has to be a whole number of milliseconds',
  ],
  ['a time limit that is not a number', { maxExecutionTime: Number.NaN }, 'but is NaN'],
  ['a time limit without end', { maxExecutionTime: Infinity }, 'or null for no limit'],
  ['fewer than no iterations', { maxIterations: -1 }, 'maxIterations has to be a whole number'],
  ['half an iteration', { maxIterations: 1.5 }, 'a whole number'],
  [
    'a budget of less than nothing',
    { budget: { cost: -1 } },
    'budget.cost has to be an amount of US dollars',
  ],
  ['a budget of half a token', { budget: { totalTokens: 0.5 } }, 'a whole number of tokens'],
  ['a model without a name', { model: ' ' }, 'the name of a model'],
])('%s is refused before a run is started', (_title, options, words) => {
  expect(() => overridesOf(options)).toThrow(expect.objectContaining({ name: 'InvalidInput' }) as Error);
  expect(() => overridesOf(options)).toThrow(words);
});

test('no limit is null, and what is not given is not overridden', () => {
  expect(overridesOf({ maxIterations: null, maxExecutionTime: 0 })).toEqual({
    maxIterations: null,
    maxExecutionTimeMs: 0,
  });
  expect(overridesOf({ budget: { cost: null } })).toEqual({ budget: { cost: null } });
  expect(overridesOf({})).toEqual({});
});

test.each([
  ['of a session', 'session:me', 'session:'],
  ['of a backtest', 'backtest:b/r', 'backtest:'],
  ['of more bytes than Temporal takes', '漢'.repeat(301), '903 bytes; at most 900'],
  ['of more letters than that', 'x'.repeat(901), '901 bytes'],
  ['with a control character', 'a\u0000', 'control characters'],
  ['of nothing', ' ', 'is a text'],
])('a run cannot have an id %s, nor can a fork', async (_, id, words) => {
  const refused = { name: 'InvalidInput', message: expect.stringContaining(words) as string };
  await expect(client.start('a', 'hello?', { id })).rejects.toMatchObject(refused);
  await expect(client.get('r1').fork({ step: 1, id })).rejects.toMatchObject(refused);
});

test.each(['漢'.repeat(300), 'x'.repeat(900), '-w', 'a b'])('a run may be called %s', (id) => {
  expect(() => checkId(id)).not.toThrow();
});

test('none is typed for no limit, of a new run and of a fork', () => {
  const typed = overridesIn({ maxIterations: 'none', budgetCost: 'none', budgetTokens: 5 });
  expect(overridesOf(typed)).toEqual({ maxIterations: null, budget: { totalTokens: 5, cost: null } });
});

test('an option that is not typed is not overridden', () => {
  expect(overridesOf(overridesIn({}))).toEqual({});
  expect(overridesOf(overridesIn({ model: 'm', maxTime: 0, maxIterations: 3 }))).toEqual({
    model: 'm',
    maxExecutionTimeMs: 0,
    maxIterations: 3,
  });
});
