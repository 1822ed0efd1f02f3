import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import type { ConfigDefinition } from '../../config/define.ts';
import { agentTool } from '../../adapters/tools/agent-tool.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { reloopHere } from '../support/reloop-here.ts';
import { type Rig, startRig, waitOf } from '../support/rig.ts';
import { act, answer, modelOf, promptOf } from '../support/scripts.ts';
import { tempFolder } from '../support/temp-folder.ts';

const rigs = new Set<Rig>();
const end = async (rig: Rig) => {
  rigs.delete(rig);
  await rig.stop();
};
afterAll(() => Promise.all([...rigs].map(end)));

/** A project on task queues of a test's own, whose tools say which version they are. */
function project() {
  const name = `shop-${randomUUID()}`;
  const far = `${name}-far`;
  const configOf = (version: string | undefined): ConfigDefinition => {
    const said = (tool: string, more: object = {}) =>
      defineTool({ name: tool, description: tool, run: () => `${tool} by ${version ?? 'none'}`, ...more });
    const tools = [
      said('look'),
      said('pay', { approval: 'always' }),
      said('far'),
      agentTool({ agent: 'helper', description: 'looks for you' }),
    ];
    /** Calls the tools that the question names, one after the other, and answers with what they said. */
    const model = modelOf((_step, request) => {
      const prompt = promptOf(request);
      const [asked = ''] = prompt.split('Question: ').at(-1)?.split('\n') ?? [];
      const made = [...prompt.matchAll(/Observation: (\w+ by \w+)/gu)].map(([, text]) => text);
      const next = asked.split(' ')[made.length];
      return next === undefined ? answer(made.join(', ')) : act(next, 'look');
    });
    return {
      taskQueue: name,
      ...(version === undefined ? {} : { deployment: { name, version } }),
      queues: { [far]: { tools: ['far'] } },
      limits: { talker: { rpm: 6_000 } },
      agents: [
        { name: 'desk', model, tools },
        { name: 'helper', model, tools: tools.slice(0, 1) },
        { name: 'talker', kind: 'tool-calling', model: modelOf(() => `by ${version ?? 'none'}`) },
      ],
    };
  };
  /** Workers of a version on all task queues; without a version, workers without one. */
  const start = async (version?: string) => {
    const config = configOf(version);
    const [own] = await Promise.all(
      [name, far].map(async (taskQueue) => {
        const rig = await startRig(config, { taskQueue });
        rigs.add(rig);
        return rig;
      }),
    );
    if (own === undefined) throw new Error('unreachable: there are two queues');
    return own;
  };
  const deploy = async (...words: string[]) => {
    const options = ['--task-queue', name, '--address', inject('temporalAddress')];
    const { code, stdout, stderr } = await reloopHere(['deploy', ...words, ...options]);
    return { code, out: stdout + stderr };
  };
  return { name, start, deploy };
}

test('a run that waited over a promotion keeps its version for further queues, sub-agents and a rewind; a fork gets the current one', async () => {
  const { start, deploy } = project();
  const { client } = await start('1');
  await deploy('promote', '1');
  const run = await client.start('desk', 'pay far helper');
  await waitOf(run, { call: '1.1' });
  await start('2');
  await deploy('promote', '2');
  await run.decide('1.1', { type: 'approve' });
  expect((await run.result()).output).toBe('pay by 1, far by 1, look by 1');

  const fork = await run.fork({ step: 2 });
  expect((await client.get(fork.id).result()).output).toBe('pay by 1, far by 2, look by 2');

  const rewound = await client.start('desk', 'look pay');
  await waitOf(rewound, { call: '2.1' });
  await start('3');
  await deploy('promote', '3');
  await rewound.rewind({ step: 1 });
  await waitOf(rewound, { call: '2.1', n: 1 });
  await rewound.decide('2.1', { type: 'approve' });
  expect((await rewound.result()).output).toBe('look by 2, pay by 2');
});

test('a session answers with the current version, within limits of its model, after the workers of the earlier one have ended', async () => {
  const { start, deploy } = project();
  const session = `talk-${randomUUID()}`;
  const ask = async ({ client }: Rig) => (await client.run('talker', 'who?', { session })).output;
  const first = await start('1');
  await deploy('promote', '1');
  expect(await ask(first)).toBe('by 1');
  const second = await start('2');
  await deploy('promote', '2');
  await end(first);
  expect(await ask(second)).toBe('by 2');
  const unversioned = await start();
  expect((await deploy('promote', 'none')).out).toContain(
    'get workers without a version. When `reloop deploy drain 2`',
  );
  await end(second);
  expect(await ask(unversioned)).toBe('by none');
});

test('the first promotion takes open runs without a version along', async () => {
  const { name, start, deploy } = project();
  const { client } = await start();
  const run = await client.start('desk', 'pay');
  await waitOf(run, { call: '1.1' });
  await start('1');
  const before = await deploy('status', '--json');
  expect(JSON.parse(before.out)).toMatchObject({ name, versions: [{ version: '1', state: 'new' }] });
  expect((await deploy('promote', '1')).out).toBe(`New runs of ${name} get version 1.\n`);
  // The server brings the new routing to its task queues a moment later.
  const fresh = async () => (await client.run('desk', 'look')).output;
  await expect.poll(fresh, { timeout: 10_000 }).toBe('look by 1');
  await run.decide('1.1', { type: 'approve' });
  expect((await run.result()).output).toBe('pay by 1');
});

test('a share of the new runs gets the version that ramps, until the ramp is ended', async () => {
  const { name, start, deploy } = project();
  const { client } = await start('1');
  await deploy('promote', '1');
  await start('2');
  expect(await deploy('ramp', '2', '50')).toEqual({
    code: 0,
    out: `50 % of the new runs of ${name} get version 2.\n`,
  });
  const outputs = async () => {
    const ids = Array.from({ length: 24 }, (_, index) => `${name}-${index}-${randomUUID()}`);
    const runs = await Promise.all(ids.map((id) => client.run('desk', 'look', { id })));
    return new Set(runs.map(({ output }) => output));
  };
  expect(await outputs()).toEqual(new Set(['look by 1', 'look by 2']));
  const run = await client.start('desk', 'pay');
  await waitOf(run, { call: '1.1' });
  const { out } = await deploy('status');
  expect(out).toMatch(/^2 +ramping 50 % +\d+ +\d+@/mu);
  expect(out).toMatch(/^1 +current +\d+ +\d+@/mu);
  expect(await deploy('drain', '2')).toEqual({
    code: 2,
    out: 'error: Version 2 is ramping, so new runs get it. End the ramp first: `reloop deploy ramp 2 0`.\n',
  });
  await deploy('ramp', '2', '0');
  expect(await outputs()).toEqual(new Set(['look by 1']));
  await run.cancel();
});

test('what cannot be is refused, and nothing is changed', async () => {
  const { name, start, deploy } = project();
  await start('1');
  await deploy('promote', '1');
  const refusals: [words: string[], message: string][] = [
    [
      ['promote', '7'],
      `No worker of version 7 has polled. Deployment ${name} has: 1. Start one with RELOOP_VERSION=7`,
    ],
    [['promote', 'none'], `No worker without a version polls task queue ${name}`],
    [['ramp', '7', '10'], 'No worker of version 7 has polled'],
    [['ramp', '1', '10'], 'Version 1 is current: all new runs get it.'],
    [['ramp', 'none', '10'], 'A share of the runs cannot go back to workers without a version'],
    [['drain', '1'], 'Version 1 is current, so new runs get it. Promote another version first'],
    [['drain', 'none'], 'Runs without a version move to the current version at their next step'],
    [['drain', '7'], 'No worker of version 7 has polled'],
  ];
  // One after the other: eight at a time make a busy server miss its own deadlines.
  const made: { words: string[]; code: number | undefined; out: string }[] = [];
  for (const [words] of refusals) made.push({ words, ...(await deploy(...words)) });
  expect(made).toEqual(
    refusals.map(([words, message]) => ({ words, code: 2, out: expect.stringContaining(message) as string })),
  );
  expect(JSON.parse((await deploy('status', '--json')).out)).toMatchObject({
    current: '1',
    versions: [{ version: '1', state: 'current', runs: 0 }],
    unversioned: { state: 'drained', runs: 0, workers: [] },
  });
});

test('doctor says which version is current and which one needs workers, and the server counts the tasks of a version as KEDA asks', async () => {
  const { name, start, deploy } = project();
  const folder = tempFolder();
  const doctor = async (version: string) => {
    const file = join(folder, `${version}.config.ts`);
    const agents = "[{ name: 'desk', model: 'm' }]";
    const deployment = `{ version: '${version}' }`;
    writeFileSync(
      file,
      `export default { agents: ${agents}, taskQueue: '${name}', deployment: ${deployment} };`,
    );
    const options = ['--worker', '--json', '--config', file, '--address', inject('temporalAddress')];
    const { code, stdout } = await reloopHere(['doctor', ...options], { OPENAI_API_KEY: 'none' });
    const { checks } = JSON.parse(stdout) as { checks: { name: string; found: string; advice?: string }[] };
    return { code, ...checks.find((check) => check.name === 'versions') };
  };
  const first = await start('1');
  await deploy('promote', '1');
  const found = `deployment ${name}: 1 is current`;
  expect(await doctor('1')).toEqual({ code: 0, name: 'versions', state: 'ok', found });
  expect(await doctor('2')).toMatchObject({
    code: 1,
    found,
    advice: expect.stringContaining('RELOOP_VERSION=2'),
  });

  const second = await start('2');
  await waitOf(await first.client.start('desk', 'pay'), { call: '1.1' });
  expect((await deploy('promote', '2')).code).toBe(0);
  const draining = `deployment ${name}: 2 is current, 1 is draining (1 open)`;
  await expect.poll(() => doctor('2'), { timeout: 20_000 }).toMatchObject({ state: 'ok', found: draining });

  await end(second);
  await first.client.start('desk', 'look');
  const { workflowService, options } = first.temporal;
  const waiting = async () => {
    const { versionTaskQueues } = await workflowService.describeWorkerDeploymentVersion({
      namespace: options.namespace,
      deploymentVersion: { deploymentName: name, buildId: '2' },
      reportTaskQueueStats: true,
    });
    return versionTaskQueues.reduce((sum, { stats }) => sum + Number(stats?.approximateBacklogCount ?? 0), 0);
  };
  await expect.poll(waiting, { timeout: 30_000 }).toBeGreaterThan(0);
});
