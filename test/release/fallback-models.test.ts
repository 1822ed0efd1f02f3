import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ScriptedServer, startScriptedServer } from '../../features/testing/index.ts';
import { type CrashRig, startCrashRig } from '../support/crash-rig.ts';
import { eventOf } from '../support/rig.ts';

/** A worker that is killed while the second model of a list answers. */
let first: ScriptedServer;
let rig: CrashRig;

beforeAll(async () => {
  first = await startScriptedServer(() => ({ status: 503, error: { message: 'overloaded' } }));
  rig = await startCrashRig({
    config: 'test/fixtures/fallback.config.ts',
    env: { FIRST_URL: first.url },
    replies: (_request, index) => (index === 0 ? { chunks: ['Half an '], hang: true } : 'A whole answer.'),
  });
});
afterAll(async () => {
  await rig.stop();
  await first.close();
});

test('the next attempt begins with the model that was asked when the worker died', async () => {
  const worker = rig.startWorker();
  const run = await rig.client.start('talker', 'Hello?');
  expect(await eventOf(run.events(), 'model_text')).toMatchObject({ text: 'Half an ', attempt: 1 });
  await worker.killGroup();
  rig.startWorker();
  expect(await run.result()).toMatchObject({ output: 'A whole answer.', usage: { modelCalls: 1 } });
  expect([first.requests.length, rig.model.requests.length]).toEqual([1, 2]);
  const { turn, attempts } = await eventOf(run, 'model_ended');
  expect(attempts).toBe(2);
  expect(turn).toMatchObject({ answeredBy: { adapter: 'second', model: 'second' }, text: 'A whole answer.' });
});
