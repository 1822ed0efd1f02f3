import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { openai } from '../../models/openai/openai.ts';
import { type ScriptedServer, startScriptedServer } from '../../testing.ts';
import { defineTool } from '../../tools/tool.ts';
import { type Rig, eventOf, startRig, waitOf } from '../support/rig.ts';
import { act, answer, script } from '../support/scripts.ts';

let provider: ScriptedServer;
let denying: ScriptedServer;
const breaks = defineTool({
  name: 'breaks',
  description: 'kills the server of the model',
  run: async () => {
    await provider.close();
    return 'it is down';
  },
});

let broken = true;
const picky = defineTool({
  name: 'picky',
  description: 'has a rule that no JSON Schema says',
  retry: { maxAttempts: 1 },
  input: z.object({ city: z.string().refine((city) => city !== 'nowhere', 'no such city') }),
  run({ city }) {
    if (broken) throw new Error('broken');
    return `sunny in ${city}`;
  },
});

let rig: Rig;
beforeAll(async () => {
  provider = await startScriptedServer([act('breaks', 'x')]);
  denying = await startScriptedServer(() => ({ status: 401, error: { message: 'bad key' } }));
  const model = (server: ScriptedServer) => openai('m', { baseURL: server.url, apiKey: 'sk-secret-key' });
  const common = { tools: [breaks], modelRetry: { maxAttempts: 3, initialInterval: 10 } };
  rig = await startRig({
    agents: [
      { name: 'hopeful', model: model(provider), ...common },
      { name: 'denied', model: model(denying), ...common },
      { name: 'asker', model: script(act('picky', '{"city": "Oslo"}'), answer('told')), tools: [picky] },
    ],
  });
}, 60_000);
afterAll(async () => {
  await rig.stop();
  await Promise.all([provider.close(), denying.close()]);
});

describe('a model server', () => {
  test('makes a run wait when it dies, and the run continues when it is back', async () => {
    const run = await rig.client.start('hopeful', 'what?');
    const wait = await waitOf(run);
    expect(wait).toMatchObject({ call: '2', tool: 'callModel', error: { type: 'ModelConnectionError' } });
    expect(await run.describe()).toMatchObject({ status: 'waiting', waiting: [{ call: '2' }] });

    await run.decide('2', { type: 'retry' });
    await eventOf(run.events(), 'waiting', ({ wait: again }) => again.n === 1);

    const { port } = new URL(provider.url);
    provider = await startScriptedServer([answer('back again')], { port: Number(port) });
    await run.decide('2', { type: 'retry' });
    expect(await run.result()).toMatchObject({
      output: 'back again',
      iterations: 2,
      intermediateSteps: [{ call: '1.1', observation: 'it is down' }],
    });
    expect(provider.requests[0]?.prompt).toContain('Observation: it is down');
  });

  test('is asked once where it refuses the key, and the run fails', async () => {
    await expect(rig.client.run('denied', 'what?')).rejects.toMatchObject({
      type: 'ModelAuthenticationError',
    });
    expect(denying.requests).toHaveLength(1);
  });
});

test("a person's input that only the tool itself can find wrong has the call wait again, and the model is not told", async () => {
  const run = await rig.client.start('asker', 'what?');
  await waitOf(run);
  broken = false;
  await run.decide('1.1', { type: 'retry', input: { city: 'nowhere' } });
  const { wait } = await eventOf(run.events(), 'waiting', ({ wait: again }) => again.n === 1);
  expect(wait.error).toMatchObject({
    type: 'ToolInputError',
    message: expect.stringContaining('no such city') as string,
  });
  await run.decide('1.1', { type: 'retry', input: { city: 'Bergen' } });
  expect(await run.result()).toMatchObject({
    output: 'told',
    intermediateSteps: [{ observation: 'sunny in Bergen' }],
  });
});
