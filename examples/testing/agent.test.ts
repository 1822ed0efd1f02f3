import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestAgents, recordedRun, testAgents, toolContext } from 'reloop/testing';
import config, { findOrder } from './support.ts';

test('an order is found by its number, and one that is not there is told to the model', () => {
  const ctx = toolContext();
  expect(findOrder.run({ id: 'A-17' }, ctx)).toEqual({ item: 'lamp', euros: 120, sent: 'Monday' });
  expect(ctx.progressTexts).toEqual(['found order A-17']);
  expect(() => findOrder.run({ id: 'B-1' }, ctx)).toThrow('There is no order B-1.');
});

let agents: TestAgents;
beforeAll(async () => {
  agents = await testAgents(config, {
    models: {
      // One reply for each time the model is asked.
      support: [
        { toolCalls: [{ name: 'find_order', arguments: { id: 'A-17' } }] },
        { toolCalls: [{ name: 'refund', arguments: { id: 'A-17', euros: 120 } }] },
        'You get 120 euros back.',
      ],
    },
  });
});
afterAll(() => agents.close());

test('a large refund waits for a person, and the customer is told of it', async () => {
  const asked: string[] = [];
  const { output, intermediateSteps } = await agents.run('support', 'The lamp of order A-17 is broken.', {
    id: 'broken-lamp',
    onWaiting(waiting, run) {
      asked.push(`${waiting.tool}: ${waiting.reason}`);
      return run.decide(waiting.call, { type: 'approve' });
    },
  });
  expect(asked).toEqual(['refund: approval']);
  expect(intermediateSteps.map(({ action }) => action.tool)).toEqual(['find_order', 'refund']);
  expect(output).toBe('You get 120 euros back.');
});

test('the model is shown the order before it decides on money', () => {
  expect(agents.requests('support')[1]?.prompt).toContain('"euros": 120');
});

test('a conversation that went well goes the same way today', async () => {
  const record = await agents.client.get('broken-lamp').export({ prompts: true });
  expect(await recordedRun(record, { config })).toMatchObject({ ok: true, steps: 3 });
});
