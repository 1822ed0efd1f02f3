import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ModelError, defineModel } from '../../models/model.ts';
import { defineTool } from '../../tools/tool.ts';
import { eventOf, useRig } from '../support/rig.ts';
import { act, answer, modelOf } from '../support/scripts.ts';

const flaky = defineTool({
  name: 'flaky',
  description: 'fails',
  retry: { maxAttempts: 2, initialInterval: '10m', maximumInterval: '10m' },
  run: () => Promise.reject(new Error('no route')),
});

/** Breaks off in its first attempt, and the second one thinks before it writes. */
function breaksOff() {
  let tries = 0;
  return defineModel({
    async call(_request, { onText }) {
      const isFirst = tries++ === 0;
      if (!isFirst) await sleep(1500);
      onText?.(isFirst ? 'the first half' : 'all of it');
      await sleep(2500);
      if (isFirst) throw new ModelError('ModelServerError', 'broke off', { retryable: true });
      const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
      return { text: answer('ok'), toolCalls: [], finishReason: 'stop', usage };
    },
  });
}

const rig = useRig({
  agents: [
    { name: 'tries', model: modelOf(() => act('flaky', 'x')), tools: [flaky] },
    { name: 'breaks off', model: breaksOff() },
  ],
});

test('a failed attempt says when the next one comes', async () => {
  const run = await rig.client.start('tries', 'what?');
  const failed = await eventOf(run.events(), 'attempt_failed');
  expect(failed).toMatchObject({ call: '1.1', attempt: 1, error: { message: 'no route' } });
  expect(failed.retryInMs).toBeGreaterThan(0);
  expect(failed.retryInMs).toBeLessThanOrEqual(600_000);
  await run.cancel();
});

test('text of a model call that is tried again is never told as that of the next attempt', async () => {
  const run = await rig.client.start('breaks off', 'what?');
  const told: unknown[] = [];
  for await (const event of run.events())
    if (event.type === 'model_text' || event.type === 'attempt_failed')
      told.push([event.type, event.attempt, event.type === 'model_text' ? event.text : event.error.message]);
  expect(told).toEqual([
    ['model_text', 1, 'the first half'],
    ['attempt_failed', 1, 'broke off'],
    ['model_text', 2, 'all of it'],
  ]);
});
