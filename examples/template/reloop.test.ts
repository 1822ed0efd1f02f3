import { type TestAgents, testAgents, toolContext } from 'reloop/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { price } from './price.ts';
import config from './reloop.config.ts';

test('what has no price is an error that says where to put one', () => {
  expect(price.run({ product: 'lamp' }, toolContext())).toBe(45);
  expect(() => price.run({ product: 'piano' }, toolContext())).toThrow('no price for "piano"');
});

let agents: TestAgents;
// A real Temporal server, in memory; the first time it may have to be fetched. What the model says stands here.
beforeAll(async () => {
  const assistant = [
    { toolCalls: [{ name: 'price', arguments: { product: 'chair' } }] },
    { toolCalls: [{ name: 'calculator', arguments: { input: '120 / 4' } }] },
    'A quarter of a chair costs 30 euros.',
  ];
  agents = await testAgents(config, { models: { assistant } });
}, 300_000);
afterAll(() => agents.close());

test('the assistant looks up the price before it calculates', async () => {
  const { output, intermediateSteps } = await agents.run('assistant', 'What does a quarter of a chair cost?');
  expect(intermediateSteps.map(({ action, observation }) => [action.tool, observation])).toEqual([
    ['price', 120],
    ['calculator', 'Answer: 30'],
  ]);
  expect(output).toBe('A quarter of a chair costs 30 euros.');
}, 60_000);
