import { describe, expect, test } from 'vitest';
import { checkOverrides } from '../../agent/overrides.ts';

describe('what a run overrides of its agent', () => {
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
