import { afterAll, beforeAll, expect, test } from 'vitest';
import { findTemporalBinary } from '../../server/binary/binary.ts';
import { defineTool } from '../../tools/tool.ts';
import { type DevServer, startDevServer } from '../support/dev-server.ts';
import { createGate } from '../support/gate.ts';
import { type Rig, eventOf, startRig } from '../support/rig.ts';
import { act, answer, modelOf, promptOf } from '../support/scripts.ts';

const gate = createGate();
const slow = defineTool({
  name: 'slow',
  description: 'takes as long as the test wants',
  effects: 'none',
  async run(input) {
    await gate.pass();
    return `slow ${input}`;
  },
});
const model = modelOf((step) => (Number(step) < 5 ? act('slow', step) : answer('ok')));

let server: DevServer;
let rig: Rig;
beforeAll(async () => {
  const { path } = await findTemporalBinary({ onProgress: () => undefined });
  // A run of one turn is long enough to be continued as new.
  const early = ['--dynamic-config-value', 'limit.historyCount.suggestContinueAsNew=12'];
  server = await startDevServer(path ?? 'temporal', early);
  rig = await startRig(
    { agents: [{ name: 'a', model, tools: [slow], maxIterations: 1, onLimit: 'ask' }] },
    { transcriptCacheBytes: 1 }, // each model call rests on what was recorded alone
    server.address,
  );
}, 60_000);
afterAll(async () => {
  await rig.stop();
  await server.stop();
});

test('what was said and granted before a continue-as-new holds after it, at every later limit too', async () => {
  const run = await rig.client.start('a', 'what?');
  await eventOf(run.events({ live: false }), 'tool_started');
  await run.extend({ iterations: 2 });
  await run.say('Be brief.');
  for (let turn = 1; turn <= 3; turn++) await gate.open();
  const { park } = await eventOf(run.events({ live: false }), 'waiting');
  expect(park).toMatchObject({ call: '4', error: { message: 'The limit of 3 iterations is reached.' } });
  await run.say('In English.');
  await run.extend({ iterations: 2 });
  await gate.open();
  expect(await run.result()).toMatchObject({ output: 'ok', iterations: 5 });
  const types = [];
  for await (const { type } of run.events({ live: false })) types.push(type);
  expect(types.filter((type) => type === 'continued').length).toBeGreaterThanOrEqual(2);
  expect(types).not.toContain('unheard');
  const last = promptOf(model.requests.at(-1)?.request);
  expect(last).toContain('Observation: slow 1\nMessage from the user: Be brief.\nThought:');
  expect(last).toContain('Observation: slow 3\nMessage from the user: In English.\nThought:');
}, 60_000);
