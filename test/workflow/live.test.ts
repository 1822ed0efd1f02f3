import { afterAll, beforeAll, expect, test } from 'vitest';
import { defineTool } from '../../tools/tool.ts';
import { type Rig, eventOf, startRig } from '../support/rig.ts';
import { act, modelOf } from '../support/scripts.ts';

const flaky = defineTool({
  name: 'flaky',
  description: 'fails',
  retry: { maxAttempts: 2, initialInterval: '10m', maximumInterval: '10m' },
  run: () => Promise.reject(new Error('no route')),
});

let rig: Rig;
beforeAll(async () => {
  rig = await startRig({
    agents: [{ name: 'tries', model: modelOf(() => act('flaky', 'x')), tools: [flaky] }],
  });
}, 60_000);
afterAll(() => rig.stop());

test('a failed attempt says when the next one comes', async () => {
  const run = await rig.client.start('tries', 'what?');
  const failed = await eventOf(run.events(), 'attempt_failed');
  expect(failed).toMatchObject({ call: '1.1', attempt: 1, error: { message: 'no route' } });
  expect(failed.retryInMs).toBeGreaterThan(0);
  expect(failed.retryInMs).toBeLessThanOrEqual(600_000);
  await run.cancel();
});
