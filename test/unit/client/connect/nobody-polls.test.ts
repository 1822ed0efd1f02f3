import { mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Client } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { cli } from '../../../../cli/cli.ts';
import { checkServer, fastSettings } from '../../../../cli/doctor/check-server.ts';
import { callQueues, checkWorkers } from '../../../../cli/doctor/check-workers.ts';
import { finish, onlyWorker } from '../../../../cli/follow/finish.ts';
import { notBegunText } from '../../../../cli/print/trace/trace-words.ts';
import { exitCodes } from '../../../../cli/shell/io.ts';
import { AgentClient } from '../../../../client/api/agent-client.ts';
import { notBegunIn } from '../../../../client/connect/obstacles.ts';
import { RunNotFound } from '../../../../client/connect/errors.ts';
import { livePollers } from '../../../../client/connect/task-queue.ts';
import { TO_WRITE, cliName, typedCommand } from '../../../../client/connect/cli-name.ts';
import { externalTool } from '../../../../adapters/tools/external.ts';
import { defineTool } from '../../../../adapters/tools/tool.ts';
import { agent, loadedConfig } from '../../../support/config.ts';
import { fakeIo } from '../../../support/fake-io.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

/** No process has it: Linux counts to 4,194,304 at most. */
const NO_PID = 99_999_999;

/** A server that says who polls each task queue. */
function serverWith(queues: { [queue: string]: string[] }) {
  const lastAccessTime = msToTs(Date.now());
  const pollersOf = (name: string) => (queues[name] ?? []).map((identity) => ({ identity, lastAccessTime }));
  const describeTaskQueue = async ({ taskQueue }: { taskQueue: { name: string } }) => ({
    pollers: pollersOf(taskQueue.name),
  });
  const describe = async () => ({ runId: 'r', taskQueue: 'q', status: { name: 'RUNNING' }, raw: {} });
  const workflow = { getHandle: () => ({ describe }) };
  const workflowService = { describeTaskQueue };
  return { options: { namespace: 'default' }, workflowService, workflow } as unknown as Client; // what is asked of it
}

const pending = (activityId: string, queue: string, state: number, name = 'sentiment') => ({
  activityId,
  activityType: { name },
  activityOptions: { taskQueue: { name: queue } },
  state,
});

test('a call has not begun where nobody polls its task queue, which is not the run’s own', async () => {
  const asked: string[] = [];
  const description = {
    executionConfig: { taskQueue: { name: 'reloop' } },
    pendingActivities: [
      pending('1', 'models', 1, 'callModel'),
      pending('1.1', 'desk-python', 1),
      pending('1/1.2~1', 'desk-python', 1),
      pending('1.3', 'desk-python', 2),
      pending('1.4', 'served', 1),
      pending('1.5', 'reloop', 1),
      pending('somebody’s own', 'desk-python', 1),
    ],
  };
  const notBegun = await notBegunIn(description, async (queue) => {
    asked.push(queue);
    return queue === 'served' ? ['7@elsewhere'] : [];
  });
  expect(notBegun).toEqual([
    { call: '1', tool: 'callModel', taskQueue: 'models' },
    { call: '1.1', tool: 'sentiment', taskQueue: 'desk-python' },
    { call: '1/1.2', tool: 'sentiment', taskQueue: 'desk-python' },
  ]);
  expect(asked.toSorted()).toEqual(['desk-python', 'models', 'served']);
  const texts = notBegun
    .slice(0, 2)
    .map((call) => notBegunText(call).replace(/`\S+ (?:reloop )?/u, '`reloop '));
  expect(texts).toEqual([
    'The model of step 1 has not begun: no worker polls task queue models; start one with `reloop worker --queue models`',
    'sentiment (1.1) has not begun: no worker polls task queue desk-python; start one with `reloop worker --queue desk-python`, or the worker of the external tool',
  ]);
});

test('a worker of this machine that has ended polls no more, whatever the server remembers', async () => {
  const gone = [`${NO_PID}@${hostname()}`, `reloop dev ${NO_PID}@${hostname()}`];
  const here = [...gone, `${process.pid}@${hostname()}`];
  const server = serverWith({ q: [...here, `${NO_PID}@elsewhere`, 'a name'] });
  expect(await livePollers(server, 'q')).toEqual([here[2], `${NO_PID}@elsewhere`, 'a name']);
});

describe('somebody who leaves a run', () => {
  const self = `reloop run ${process.pid}@${hostname()}`;
  const left = async (ours: boolean, identities: string[]) => {
    const io = fakeIo();
    const client = new AgentClient(serverWith({ q: identities }), 'a:1', 'q');
    const run = { id: 'rep', describe: () => Promise.reject(new Error('not asked')) };
    await finish(io, run, { type: 'left', why: 'SIGINT' }, 'nothing', onlyWorker(ours, { client }, 'rep'));
    return io.err();
  };

  const goneToo = [self, `reloop dev ${NO_PID}@${hostname()}`];
  const onlyOne =
    /^This command was the run's worker\. The run continues when another one starts: `\S*(?: reloop)? dev` or `\S*(?: reloop)? watch rep`\n$/u;
  const served = /^The run continues wherever a worker serves it: `\S*(?: reloop)? watch rep`\n$/u;

  test.each([
    ['as its only worker', true, [self], onlyOne],
    ['as its only worker beside one that has ended', true, goneToo, onlyOne],
    ['as its worker beside another one', true, [self, 'reloop dev 7@elsewhere'], served],
    ['without being its worker', false, [], served],
  ])('%s says how it goes on', async (_what, ours, identities, said) => {
    expect(await left(ours, identities)).toMatch(said);
  });
});

describe('doctor', () => {
  const external = (name: string, taskQueue?: string) =>
    externalTool({ name, description: name, ...(taskQueue === undefined ? {} : { taskQueue }) });
  const own = defineTool({ name: 'own', description: 'own', run: () => 'x' });
  const queues = callQueues(
    loadedConfig({
      agents: [agent()],
      tools: [external('sentiment', 'desk-python'), external('mood', 'desk-python'), own],
      queues: { models: { models: true, tools: ['own'] } },
    }),
  );
  const found = async (options: object, taskQueue = 'reloop') => {
    const server = serverWith({ served: ['7@elsewhere'] });
    const checks = await checkWorkers(server, { ...options, taskQueue, callQueues: queues });
    return checks.map(({ state, found: said, advice = '' }) => `${state} ${said} ${advice}`);
  };

  test('looks at every task queue that the config names, and says which tools need it', async () => {
    const [agents, ours, tools] = await found({}, 'served');
    expect(agents).toBe('ok task queue served: 7@elsewhere ');
    expect(ours).toMatch(
      /^note task queue models \(models, own\): no worker start one with `.*worker --queue models`: /u,
    );
    const advice = 'start the worker that has these activities: until then calls of them do not start';
    expect(tools).toBe(`note task queue desk-python (sentiment, mood): no worker ${advice}`);
  });

  test.each([
    ['a queue that is served', 'served', [undefined, undefined, undefined]],
    ['a queue that nobody polls', 'reloop', [exitCodes.failed, undefined, undefined]],
  ])('with --worker fails for %s, and not for queues of tools', async (_what, taskQueue, exits) => {
    const server = serverWith({ served: ['7@elsewhere'] });
    const codes = async (worker: boolean) => {
      const checks = await checkWorkers(server, { worker, taskQueue, callQueues: queues });
      return checks.map(({ exitCode }) => exitCode);
    };
    expect(await codes(true)).toEqual(exits);
    expect(await codes(false)).toEqual([undefined, undefined, undefined]);
  });

  test.each([
    ['1.29.1', true],
    ['1.31.0', true],
    ['1.32.0', false],
    ['2.0.0-rc.1', false],
  ])('advises the settings that server %s does not have by default', (version, eager) => {
    const { advice = '' } = fastSettings(version);
    expect(advice).toContain('history.transferProcessorMaxPollRPS, history.timerProcessorMaxPollRPS');
    expect(advice.includes('system.enableActivityEagerExecution')).toBe(eager);
  });

  test('with --worker fails where this project has no server running', async () => {
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const name of ['TEMPORAL_ADDRESS', 'TEMPORAL_PROFILE', 'TEMPORAL_CONFIG_FILE']) vi.stubEnv(name, '');
    vi.stubEnv('RELOOP_STATE_DIR', tempFolder(onTestFinished));
    const ofServer = async (worker: boolean) => {
      const checks = await checkServer({ worker, taskQueue: 'reloop', callQueues: queues });
      return checks.find(({ name }) => name === 'server')?.exitCode;
    };
    expect(await ofServer(true)).toBe(exitCodes.unreachable);
    expect(await ofServer(false)).toBeUndefined();
  });

  const named = /worker --config l\.config\.ts` or `.*dev --config l\.config\.ts`$/u;
  const called = /worker --config l\.config\.ts` or/u;
  test.each([
    ['the project’s own config', {}, 'reloop', /worker` or `\S*(?: reloop)? dev`$/u],
    ['another config', { config: 'l.config.ts' }, 'reloop:l.config.ts', named],
    ['the config that its task queue is called after', {}, 'reloop:l.config.ts', called],
    ['a server that is named', { address: 'h:7' }, 'reloop', /worker --address h:7`$/u],
  ])('names the command that serves %s', async (_what, options, taskQueue, advice) => {
    expect((await found(options, taskQueue))[0]).toMatch(advice);
  });
});

const folder = tempFolder();

/** A PATH of such folders, each with a `reloop` in it. */
function path(...names: string[]): string {
  const folders = names.map((name) => join(folder, name));
  for (const place of folders) {
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'reloop'), '');
  }
  return ['/nowhere', '', ...folders].join(delimiter);
}

describe('a command that is hinted at', () => {
  test.each([
    ['is `reloop` where the shell finds that', path('bin'), 'reloop'],
    ['is `npx reloop` where it does not', '/nowhere', 'npx reloop'],
    ["is `npx reloop` where only npm's own folder has it", path('project/node_modules/.bin'), 'npx reloop'],
    ['is `reloop` where the shell finds it beside that', path('node_modules/.bin', 'bin'), 'reloop'],
    ['is `npx reloop` where there is no PATH', undefined, 'npx reloop'],
  ])('%s', (_, PATH, typed) => {
    expect(cliName({ PATH })).toBe(typed);
  });

  test('is typed so in errors and in the help', async () => {
    vi.stubEnv('PATH', '/nowhere');
    const io = fakeIo();
    await cli(['--help'], io);
    const { message } = new RunNotFound('x');
    vi.unstubAllEnvs();
    expect(message).toContain('`npx reloop list`');
    expect(io.out()).toContain('\n  npx reloop dev  ');
  });
});

describe('a command to be typed', () => {
  const why = ['--reason "…"', '--address', 'h:1'];
  test.each([
    ['show', ['run-1'], [], 'show run-1'],
    ['resolve', ["it's", '1.1', TO_WRITE], ['--config', 'a.ts'], `resolve 'it'\\''s' 1.1 "…" --config a.ts`],
    ['approve', ['-w'], [], 'approve -- -w'],
    ['reject', ['-w', '1.1'], why, 'reject --reason "…" --address h:1 -- -w 1.1'],
    ['skip', ['-a b'], [], "skip -- '-a b'"],
  ])('%s of %j is one that the shell and the command line take', (verb, args, options, line) => {
    vi.stubEnv('PATH', '/nowhere');
    expect(typedCommand(verb, args, options)).toBe(`npx reloop ${line}`);
    vi.unstubAllEnvs();
  });

  const verbs = ['show', 'watch', 'retry', 'approve', 'cancel', 'rewind'];
  test.each(verbs)('reaches the run with %s, whose id begins with -', async (verb) => {
    vi.stubEnv('RELOOP_STATE_DIR', join(folder, 'never-started'));
    vi.stubEnv('TEMPORAL_ADDRESS', '');
    const io = fakeIo();
    const line = typedCommand(verb, ['-w'], verb === 'rewind' ? ['--step', '1'] : []);
    const [, ...words] = line.replace('npx ', '').split(' ');
    expect(await cli(words, io)).toBe(2);
    vi.unstubAllEnvs();
    expect(io.err()).toContain('There is no run "-w"');
  });
});
