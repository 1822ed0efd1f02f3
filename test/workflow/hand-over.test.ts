import { afterAll, beforeAll, expect, test } from 'vitest';
import { findTemporalBinary } from '../../server/binary/binary.ts';
import { defineTool } from '../../tools/tool.ts';
import { type DevServer, startDevServer } from '../support/dev-server.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { act, answer, modelOf, promptOf, script } from '../support/scripts.ts';

const STEPS = 7;
/** Three of these are less than what is carried along, each more than what is handed over with the last turn. */
const LONG = 'x'.repeat(140_000);

const model = modelOf((step) => (Number(step) <= STEPS ? act('long', step) : answer('ok')));
const long = defineTool({
  name: 'long',
  description: 'a lot of text',
  maxOutputChars: 1_000_000,
  run: (input) => `result ${input} ${LONG}`,
});

/** Called when the tool that hears nothing has begun; lets it end. */
let onBegun: (end: () => void) => void = () => undefined;
const unminding = defineTool({
  name: 'unminding',
  description: 'ends when it likes',
  run: () => new Promise((resolve) => onBegun(() => resolve('done all the same'))),
});

let server: DevServer;
let rig: Rig;
beforeAll(async () => {
  const { path } = await findTemporalBinary({ onProgress: () => undefined });
  // A run of one turn is long enough to be continued as new.
  const early = ['--dynamic-config-value', 'limit.historyCount.suggestContinueAsNew=12'];
  server = await startDevServer(path ?? 'temporal', early);
  rig = await startRig(
    {
      agents: [
        { name: 'a', model, tools: [long], trimIntermediateSteps: 3 },
        { name: 'b', model: script(act('unminding', 'x')), tools: [unminding] },
      ],
    },
    { transcriptCacheBytes: 1 }, // each model call rests on what was recorded alone
    server.address,
  );
}, 60_000);
afterAll(async () => {
  await rig.stop();
  await server.stop();
});

test('results that are too long to go along are still whole after the second and every later continue-as-new', async () => {
  const run = await rig.client.start('a', 'what?');
  expect((await run.result()).output).toBe('ok');
  const seen = [];
  for await (const { type } of run.events({ live: false })) seen.push(type);
  expect(seen.filter((type) => type === 'continued').length).toBeGreaterThanOrEqual(STEPS - 1);
  const observed = model.requests.map(({ request }) =>
    [...promptOf(request).matchAll(/^Observation: (result \d+ x+|null)$/gmu)].map(([, text]) => text),
  );
  const upTo = (step: number) =>
    [step - 2, step - 1, step].filter((n) => n > 0).map((n) => `result ${n} ${LONG}`);
  expect(observed).toEqual(Array.from({ length: STEPS + 1 }, (_, step) => upTo(step)));
}, 60_000);

test('a run that is cancelled as it would be continued as new is cancelled', async () => {
  const begun = new Promise<() => void>((resolve) => (onBegun = resolve));
  const run = await rig.client.start('b', 'what?');
  const end = await begun;
  await run.cancel();
  end();
  await expect(run.result()).rejects.toMatchObject({
    name: 'AgentRunCancelled',
    report: { intermediateSteps: [{ observation: 'done all the same' }] },
  });
});
