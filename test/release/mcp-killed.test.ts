import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AgentRun } from '../../client/index.ts';
import { reloop } from '../support/cli.ts';
import { type CrashRig, startCrashRig } from '../support/crash-rig.ts';
import { type McpSdkServer, startMcpSdkServer } from '../support/mcp-sdk-server.ts';
import { eventsOf, waitOf } from '../support/rig.ts';
import { act, answer } from '../support/scripts.ts';

/** Workers are killed while calls of an MCP server wait for a person, are answered, or are tasks of the server. */
const CONFIG = 'test/fixtures/mcp-server.config.ts';
let rig: CrashRig;
let server: McpSdkServer;

beforeAll(async () => {
  server = await startMcpSdkServer();
  rig = await startCrashRig({
    config: CONFIG,
    env: { MCP_SERVER: server.url },
    replies: ({ prompt }) => {
      const asked = prompt.slice(prompt.lastIndexOf('\nQuestion: '));
      return asked.includes('Observation: ')
        ? answer('done')
        : act(/Use (\w+)/u.exec(asked)?.[1] ?? '', '{}');
    },
  });
}, 120_000);
afterAll(async () => {
  await rig.stop();
  server.stop();
});
beforeEach(() => {
  server.open = false;
  for (const list of [server.ran, server.effects, ...Object.values(server.tasks)]) list.splice(0);
});

async function start(tool: string): Promise<AgentRun> {
  rig.startWorker();
  return rig.client.start('traveller', `Use ${tool}.`);
}

/** A decision of the command line, which is another process. */
async function resolve(run: AgentRun, output: string): Promise<void> {
  const command = reloop(['resolve', run.id, '1.1', output, '--address', rig.server.address]);
  expect([await command.exit, command.stderr()]).toMatchObject([0, expect.any(String)]);
}

const observationOf = async (run: AgentRun) => (await run.result()).intermediateSteps[0]?.observation;
const soon = { timeout: 60_000, interval: 100 };

describe('a question of a server that waits for a person', () => {
  test.each([
    [
      'book',
      '{"count":2}',
      { question: 'How many rooms?' },
      '{"rooms":{"action":"accept","content":{"count":2}}}',
    ],
    [
      'sign',
      'done',
      { question: 'Sign here.', url: 'https://a.example/sign' },
      '{"page":{"action":"accept"}}',
    ],
  ])(
    'is answered after its worker was killed, and before the worker is killed again: %s',
    async (tool, given, note, told) => {
      const run = await start(tool);
      expect(await waitOf(run)).toMatchObject({ call: '1.1', reason: 'deferred', note });
      await rig.killWorkers();
      rig.startWorker();
      expect(server.ran).toEqual([]);
      await resolve(run, given);
      await expect.poll(() => server.ran.length, soon).toBe(1);
      await rig.killWorkers();
      server.open = true;
      rig.startWorker();
      expect(await observationOf(run)).toBe(told);
      expect(server.effects).toEqual([tool]);
    },
    120_000,
  );

  test('is one call of the tool where no worker is killed while the tool runs', async () => {
    server.open = true;
    const run = await start('book');
    await waitOf(run);
    await rig.killWorkers();
    rig.startWorker();
    await resolve(run, '2');
    await run.result();
    expect([server.ran, server.effects]).toEqual([['book'], ['book']]);
  }, 120_000);
});

describe('a task of a server', () => {
  const begun = async () => {
    const run = await start('report');
    await expect.poll(() => server.tasks.asked.length, soon).toBeGreaterThan(0);
    return run;
  };

  test('is followed by the next worker after a kill, and not begun twice', async () => {
    const run = await begun();
    await rig.killWorkers();
    const before = server.tasks.asked.length;
    rig.startWorker();
    await expect.poll(() => server.tasks.asked.length, soon).toBeGreaterThan(before);
    server.open = true;
    expect(await observationOf(run)).toBe('the report of task-1');
    expect([server.tasks.begun, new Set(server.tasks.asked)]).toEqual([['task-1'], new Set(['task-1'])]);
    expect(server.tasks.cancelled).toEqual([]);
    const stored = (await eventsOf(run)).flatMap((event) =>
      event.type === 'checkpoint' ? event.checkpoint : [],
    );
    expect(stored).toEqual([{ task: 'task-1', server: new URL(server.url).origin }]);
    const shown = reloop(['show', run.id, '--address', rig.server.address]);
    await shown.exit;
    expect(shown.stdout() + shown.stderr()).toContain('"task":"task-1"');
  }, 120_000);

  test.each([
    ['by the worker at work', true],
    ['by the next worker, after a kill', false],
  ])(
    'is cancelled with its run: %s',
    async (_who, alive) => {
      const run = await begun();
      if (!alive) await rig.killWorkers();
      await run.cancel();
      if (!alive) rig.startWorker();
      await expect.poll(async () => (await run.describe()).status, soon).toBe('cancelled');
      expect([server.tasks.begun, server.tasks.cancelled]).toEqual([['task-1'], ['task-1']]);
    },
    120_000,
  );
});
