import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { cancelledTool } from '../../agent/observation/observations.ts';
import { asText } from '../../agent/values/vocabulary.ts';
import { agentTool } from '../../adapters/tools/agent-tool.ts';
import { externalTool } from '../../adapters/tools/external.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { loadedConfig } from '../support/config.ts';
import { useOtherWorker } from '../support/other-worker.ts';
import { eventOf, useRig } from '../support/rig.ts';
import { act, answer, promptOf, script } from '../support/scripts.ts';
import { allOf } from '../support/all-of.ts';

const QUEUE = `external-${process.pid}`;
const schema = z.object({ city: z.string(), days: z.int().default(1) });
const external = (name: string, more: object = {}) =>
  externalTool({
    name,
    description: `${name}, elsewhere`,
    taskQueue: QUEUE,
    retry: { maxAttempts: 2, initialInterval: 100 },
    ...more,
  });

/** What a worker of somebody else's registers: plain activities that know nothing of Reloop. */
let flaky = 0;
const activities = {
  forecast: (input: { city: string; days: number }) => Promise.resolve({ ...input, sunny: true }),
  long: () => Promise.resolve('y'.repeat(3_000)),
  huge: () => Promise.resolve('z'.repeat(500_000)),
  flaky: () => (flaky++ === 0 ? Promise.reject(new Error('not yet')) : Promise.resolve('now')),
  slow: () => sleep(7_000, 'late'),
};

const calls = (tool: string, input: string, then = answer('ok')) => script(act(tool, input), then);

const local = defineTool({
  name: 'local',
  description: 'keeps its key',
  run: (_input, { idempotencyKey, callId }) => `${callId} ${idempotencyKey}`,
});

const helper = agentTool({ agent: 'helper', description: 'helps' });
const itself = agentTool({ agent: 'itself', description: 'calls itself', onFailure: 'observe' });

const readsLong = calls('long', 'x', answer('read'));

useOtherWorker({ taskQueue: QUEUE, activities, shutdownGraceTime: '1s' });
const rig = useRig({
  agents: [
    {
      name: 'forecast',
      model: script(act('forecast', '{"city": "Oslo", "days": "2"}'), act('forecast', '{"days": 1}')),
      tools: [external('forecast', { input: schema })],
    },
    { name: 'long', model: readsLong, tools: [external('long')] },
    { name: 'huge', model: calls('huge', 'x'), tools: [external('huge', { maxOutputChars: 1_000 })] },
    { name: 'flaky', model: calls('flaky', 'x'), tools: [external('flaky')] },
    { name: 'slow', model: calls('slow', 'x'), tools: [external('slow')], maxExecutionTime: 4_000 },
    {
      name: 'cancelled',
      model: calls('nobodys', 'x'),
      tools: [external('nobodys', { taskQueue: `${QUEUE}-nobody` })],
    },

    {
      name: 'boss',
      model: script(act('helper', 'a'), act('helper', 'b'), answer('both')),
      tools: [helper],
    },
    { name: 'helper', model: calls('local', 'same', answer('helped')), tools: [local] },
    { name: 'itself', model: calls('itself', 'deeper'), tools: [itself] },
  ],
});

async function observationsOf(agent: string) {
  const { intermediateSteps, ...result } = await rig.client.run(agent, 'what?');
  return { ...result, observations: intermediateSteps.map(({ observation }) => observation) };
}

describe("a tool that another worker's activity is", () => {
  test.each<[what: string, agent: string, observations: unknown[]]>([
    ['is retried as its policy says', 'flaky', ['now']],
    [
      'is cut at its longest output',
      'huge',
      [`${'z'.repeat(1_000)}\n[cut: the first 1000 of 500000 characters]`],
    ],
  ])('%s', async (_what, agent, observations) => {
    expect(await observationsOf(agent)).toMatchObject({ output: 'ok', observations });
  });

  test('is checked against its schema before anything is scheduled', async () => {
    const run = await rig.client.start('forecast', 'what?');
    const { intermediateSteps } = await run.result();
    expect(
      intermediateSteps.map(({ action, observation, attempts }) => [action.toolInput, observation, attempts]),
    ).toEqual([
      [{ city: 'Oslo', days: 2 }, { city: 'Oslo', days: 2, sunny: true }, 1],
      [{ days: 1 }, expect.stringContaining('city'), 0],
    ]);
  });

  test('has its long result referred to, and the model sees it whole', async () => {
    await rig.client.run('long', 'what?');
    expect(promptOf(readsLong.requests[1]?.request)).toContain('y'.repeat(3_000));
    await rig.restart();
    const run = await rig.client.start('long', 'what?', { id: `long-${process.pid}` });
    await run.result();
    const requests = await allOf(run.requests({ follow: false }));
    expect(promptOf(requests[1]?.request)).toContain('y'.repeat(3_000));
  });

  test('is cut at the deadline even if it does not listen', async () => {
    expect(await observationsOf('slow')).toMatchObject({
      stopReason: 'max_execution_time',
      observations: [expect.stringContaining('cut off')],
    });
  });

  test('has not begun where nobody runs it, and can be cancelled', async () => {
    const run = await rig.client.start('cancelled', 'what?');
    const notBegun = { call: '1.1', tool: 'nobodys', taskQueue: `${QUEUE}-nobody` };
    expect(await eventOf(run.events(), 'not_begun')).toMatchObject(notBegun);
    expect(await run.describe()).toMatchObject({ status: 'running', notBegun: [notBegun] });
    await run.decide('1.1', { type: 'cancelCall' });
    expect((await run.result()).intermediateSteps).toMatchObject([{ observation: cancelledTool(undefined) }]);
  });
});

describe('a sub-agent', () => {
  test('is a run of its own under its parent, and its usage is counted', async () => {
    const run = await rig.client.start('boss', 'what?');
    const { output, intermediateSteps, usage } = await run.result();
    expect(output).toBe('both');
    expect(intermediateSteps.map(({ observation }) => observation)).toEqual(['helped', 'helped']);
    expect(usage.modelCalls).toBe(3 + 2 * 2);
    const children = await Promise.all(
      ['1.1', '2.1'].map((call) => rig.client.get(`${run.id}/${call}`).result()),
    );
    const keys = children.map(({ intermediateSteps: steps }) => asText(steps[0]?.observation ?? null));
    expect(new Set(keys).size).toBe(2);
  });

  test('may call itself, up to a depth', async () => {
    const { output } = await rig.client.run('itself', 'what?');
    expect(output).toBe('ok');
  });

  test('has to be in the config', () => {
    const lost = agentTool({ agent: 'nobody', description: 'is not there' });
    expect(() => loadedConfig({ agents: [{ name: 'a', model: 'm', tools: [lost] }] })).toThrow(
      'The tool "nobody" runs the agent "nobody", which is not in the config. It has: a.',
    );
  });
});
