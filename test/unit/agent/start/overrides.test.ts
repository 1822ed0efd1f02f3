import { describe, expect, test } from 'vitest';
import { checkOverrides, overridesOf } from '../../../../agent/start/overrides.ts';
import { overridesIn } from '../../../../cli/options/override-options.ts';
import { checkId } from '../../../../client/start/run-id.ts';
import { offlineContext } from '../../../support/offline-context.ts';

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

  const fields =
    'model, maxIterations, maxExecutionTimeMs, budget.totalTokens, budget.cost, context, tags, tenant, priority, clientTools';
  const other = (name: string) => `A run cannot override "${name}", only ${fields}.`;
  const NO_OBJECT = `The overrides of a run are an object of ${fields}.`;
  const isNo = (what: string, given: unknown) =>
    `has to be ${what}, or null for no limit, but is ${typeof given === 'string' ? JSON.stringify(given) : String(given)}.`;
  const TIME = 'a whole number of milliseconds up to 2147483647 (24 days)';
  const COST = 'an amount of US dollars from 0';

  test.each<[overrides: unknown, sentence: string]>([
    [{ model: '' }, 'model has to be the name of a model, but is "".'],
    [{ model: 3 }, 'model has to be the name of a model, but is 3.'],
    [{ maxIterations: 1.5 }, `maxIterations ${isNo('a whole number', 1.5)}`],
    [{ priority: 6 }, 'priority has to be a whole number from 1, which goes first, to 5, but is 6.'],
    [{ maxIterations: -1 }, `maxIterations ${isNo('a whole number', -1)}`],
    ...['10m', NaN, Infinity, -1, 2 ** 31].map((given): [unknown, string] => [
      { maxExecutionTimeMs: given },
      `maxExecutionTimeMs ${isNo(TIME, given)}`,
    ]),
    ...[-1, 0.5, '1000', Infinity].map((given): [unknown, string] => [
      { budget: { totalTokens: given } },
      `budget.totalTokens ${isNo('a whole number of tokens', given)}`,
    ]),
    ...[-0.01, '$1', NaN, Infinity].map((given): [unknown, string] => [
      { budget: { cost: given } },
      `budget.cost ${isNo(COST, given)}`,
    ]),
    [{ budget: { tokens: 5 } }, other('budget.tokens')],
    [{ budget: 5 }, other('budget')],
    [{ temperature: 0 }, other('temperature')],
    [{ constructor: 1 }, other('constructor')],
    ['m', NO_OBJECT],
    [null, NO_OBJECT],
    [[], NO_OBJECT],
  ])('is refused by a sentence where it is %j', (overrides, sentence) => {
    expect(checkOverrides(overrides)).toBe(sentence);
  });
});

const { client } = offlineContext();

test('options of a run are checked as its overrides are, before it is started', () => {
  const refused = {
    name: 'InvalidInput',
    message: expect.stringContaining('a whole number of milliseconds') as string,
  };
  expect(() => overridesOf({ maxExecutionTime: '10m' })).toThrow(expect.objectContaining(refused) as Error);
});

test('no limit is null, and what is not given is not overridden', () => {
  const unlimited = overridesOf({ maxIterations: null, maxExecutionTime: 0 });
  expect(unlimited).toEqual({ maxIterations: null, maxExecutionTimeMs: 0 });
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
  const typed = overridesOf(overridesIn({ model: 'm', maxTime: 0, maxIterations: 3 }));
  expect(typed).toEqual({ model: 'm', maxExecutionTimeMs: 0, maxIterations: 3 });
});
