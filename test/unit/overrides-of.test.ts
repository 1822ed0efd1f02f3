import { Client, Connection } from '@temporalio/client';
import { expect, test } from 'vitest';
import { AgentClient } from '../../client/agent-client.ts';
import { overridesOf } from '../../client/overrides.ts';

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
  ['a time limit that is no number', { maxExecutionTime: Number.NaN }, 'but is NaN'],
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

test('a run cannot take the id that a session has', async () => {
  await expect(client.start('a', 'hello?', { id: 'session:me' })).rejects.toMatchObject({
    name: 'InvalidInput',
    message: expect.stringContaining('session:') as string,
  });
});
