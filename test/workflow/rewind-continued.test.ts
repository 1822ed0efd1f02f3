import { afterAll, beforeAll, expect, test } from 'vitest';
import { findTemporalBinary } from '../../server/binary/binary.ts';
import { defineTool } from '../../tools/tool.ts';
import { type DevServer, startDevServer } from '../support/dev-server.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { act, answer, modelOf, promptOf } from '../support/scripts.ts';

const STEPS = 6;
const LONG = 'x'.repeat(3_000);
let broken = false;
const model = modelOf((step) => (Number(step) <= STEPS ? act('long', step) : answer(`at ${step}`)));
const long = defineTool({
  name: 'long',
  description: 'a lot of text',
  retry: { maxAttempts: 1 },
  onFailure: 'fail',
  run(input) {
    if (broken && input === '5') throw new Error('out of order');
    return `result ${input} ${LONG}`;
  },
});

let server: DevServer;
let rig: Rig;
beforeAll(async () => {
  const { path } = await findTemporalBinary({ onProgress: () => undefined });
  // A run of one turn is long enough to be continued as new.
  const early = ['--dynamic-config-value', 'limit.historyCount.suggestContinueAsNew=12'];
  server = await startDevServer(path ?? 'temporal', early);
  rig = await startRig(
    { agents: [{ name: 'a', model, tools: [long] }] },
    { transcriptCacheBytes: 1 }, // each model call rests on what was recorded alone
    server.address,
  );
}, 60_000);
afterAll(async () => {
  await rig.stop();
  await server.stop();
});

const observed = () =>
  model.requests.map(({ request }) =>
    [...promptOf(request).matchAll(/^Observation: result (\d+) x+$/gmu)].map(([, n]) => Number(n)),
  );
const upTo = (step: number) => Array.from({ length: step }, (_, n) => n + 1);
const calls = (steps: readonly { call: string }[]) => steps.map(({ call }) => call);

test('a run that was continued as new is taken back to any step, again and again, and goes on being continued', async () => {
  const run = await rig.client.start('a', 'what?');
  const { intermediateSteps: before } = await run.result();
  for (const step of [5, 2, 6]) {
    model.requests.length = 0;
    await run.rewind({ step });
    const { output, intermediateSteps, usage } = await run.result();
    expect(output).toBe('at 7');
    expect(calls(intermediateSteps)).toEqual(calls(before));
    expect(usage.modelCalls).toBe(STEPS + 1);
    expect(observed()).toEqual(Array.from({ length: STEPS + 2 - step }, (_, n) => upTo(step - 1 + n)));
  }
  const asked = [];
  for await (const { call } of run.requests()) asked.push(call);
  expect(asked).toEqual(['1', '2', '3', '4', '5', '6', '7']);
}, 120_000);

test('a run that failed after it was continued as new is retried, and forked', async () => {
  broken = true;
  const run = await rig.client.start('a', 'what?');
  await expect(run.result()).rejects.toThrow('out of order');
  const { id } = await run.fork({ step: 4, edits: { '2.1': `result 22 ${LONG}` } });
  await expect(rig.client.get(id).result()).rejects.toThrow('out of order');
  broken = false;
  model.requests.length = 0;
  expect((await run.retry()).calls).toEqual(['5.1']);
  expect((await run.result()).output).toBe('at 7');
  expect(observed()).toEqual([upTo(5), upTo(6)]);
  model.requests.length = 0;
  await rig.client.get(id).retry();
  expect((await rig.client.get(id).result()).output).toBe('at 7');
  expect(observed()).toEqual([
    [1, 22, 3, 4, 5],
    [1, 22, 3, 4, 5, 6],
  ]);
}, 120_000);
