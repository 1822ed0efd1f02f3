import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type ModelRequest, requestDigest } from '../../agent/transcript/request.ts';
import { AgentClient } from '../../client/api/agent-client.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import type { ConfigDefinition } from '../../config/define.ts';
import { useRig } from '../support/rig.ts';
import { type RecordingModel, act, answer, modelOf } from '../support/scripts.ts';
import { allOf } from '../support/all-of.ts';

const echo = defineTool({ name: 'echo', description: 'echoes', run: (input) => `echo {${input}}` });
const big = defineTool({
  name: 'big',
  description: 'a lot of text',
  maxOutputChars: 5_000_000,
  run: (size) => 'x'.repeat(Number(size)),
});
const tools = [echo, big];

const models = {
  short: modelOf(
    (step) => [act('echo', 'a'), 'What?', act('none', 'b'), answer('ok')][Number(step) - 1] ?? '',
  ),
  huge: modelOf((step) => (step === '4' ? answer('ok') : act('big', '1400000'))),
  long: modelOf((step) => (step === '60' ? answer('ok') : act('echo', step))),
  trimmed: modelOf((step) => (step === '60' ? answer('ok') : act('echo', step))),
};
const config: ConfigDefinition = {
  agents: [
    { name: 'short', model: models.short, tools },
    { name: 'huge', model: models.huge, tools },
    { name: 'long', model: models.long, tools, maxIterations: null },
    { name: 'trimmed', model: models.trimmed, tools, maxIterations: null, trimIntermediateSteps: 3 },
  ],
};

/** As users have it: pages of history may be larger than gRPC's own limit. */
let client: AgentClient;
const rig = useRig(config);
beforeAll(async () => {
  client = await AgentClient.connect({ address: inject('temporalAddress'), taskQueue: rig.taskQueue });
}, 60_000);
afterAll(async () => {
  await client.close();
});

describe('the requests of a run, rebuilt from history', () => {
  test.each(['short', 'huge', 'long', 'trimmed'] as const)(
    'are the ones the model got: %s',
    async (agent) => {
      const run = await client.start(agent, 'what {input}?');
      const { intermediateSteps } = await run.result();
      expect(await rebuilt(run)).toEqual(asked(models[agent]));
      expect(intermediateSteps).toHaveLength(models[agent].requests.length - 1);
    },
  );

  test('have the digests that were recorded with the replies', async () => {
    const run = await client.start('short', 'and now?');
    await run.result();
    const events = await allOf(run.events());
    const digests = events.flatMap((event) => (event.type === 'model_ended' ? [event.turn.request] : []));
    expect((await rebuilt(run)).map(requestDigest)).toEqual(digests);
  });

  test('come one by one while the run goes on', async () => {
    const run = await client.start('short', 'live?');
    const requests = run.requests({ follow: true });
    expect((await requests.next()).value).toMatchObject({ call: '1', n: 0 });
    expect((await requests.next()).value).toMatchObject({ call: '2', n: 0 });
    await run.result();
  });
});

async function rebuilt(run: AgentRun): Promise<ModelRequest[]> {
  return (await allOf(run.requests({ follow: false }))).map(({ request }) => request);
}

function asked(model: RecordingModel): ModelRequest[] {
  return model.requests.map(({ request }) => request);
}
