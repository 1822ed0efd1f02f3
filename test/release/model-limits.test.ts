import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CrashRig, startCrashRig } from '../support/crash-rig.ts';
import { enforcingModel } from '../support/enforcing-model.ts';

const RPM = 600;
const TPM = 60_000;
const RUNS = 200;
const STEPS = 6;

/** Between 40 and 140 tokens a request, 90 in the mean: no estimate by length fits. */
let luck = 7;
const tokensOfReply = () => 20 + ((luck = (luck * 48_271) % 2_147_483_647) % 101);

const model = enforcingModel({ rpm: RPM, tpm: TPM }, ({ prompt }) => {
  const step = prompt.split('Observation: counted').length;
  const text =
    step < STEPS
      ? `I count.\nAction: next\nAction Input: ${step}`
      : 'I now know the final answer\nFinal Answer: counted';
  return { text, delayMs: 300, usage: { promptTokens: 20, completionTokens: tokensOfReply() } };
});

let rig: CrashRig;
beforeAll(async () => {
  rig = await startCrashRig({
    config: 'test/fixtures/limits.config.ts',
    replies: model.script,
    env: { LIMIT_RPM: String(RPM), LIMIT_TPM: String(TPM) },
  });
});
afterAll(() => rig.stop());

test('three workers are hardly ever refused by a model that enforces limits, though one worker dies', async () => {
  const workers = ['a', 'b', 'c'].map((name) => rig.startWorker(undefined, `${rig.folder}/${name}`));
  const started = Array.from({ length: RUNS }, (_, index) =>
    rig.client.start(index % 2 === 0 ? 'first' : 'second', `what is ${index}?`, { tenant: `t${index % 5}` }),
  );
  const results = Promise.all((await Promise.all(started)).map((run) => run.result()));
  await expect.poll(() => model.requests.length, { timeout: 60_000 }).toBeGreaterThan(RUNS);
  await workers[0]?.killGroup();
  const outputs = (await results).map(({ output }) => output);

  expect(outputs).toEqual(Array.from({ length: RUNS }, () => 'counted'));
  const { requests } = model;
  const refused = requests.filter((one) => one.refused);
  expect(refused.length / requests.length).toBeLessThan(0.02);
});
