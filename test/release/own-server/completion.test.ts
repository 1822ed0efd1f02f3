import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { cli } from '../../../cli/cli.ts';
import { defineAgent, defineConfig } from '../../../config/define.ts';
import { defineTool } from '../../../adapters/tools/tool.ts';
import { fakeIo } from '../../support/fake-io.ts';
import { useRig, waitOf } from '../../support/rig.ts';
import { act, modelOf } from '../../support/scripts.ts';
import { brokenTool } from '../../support/sample-tools.ts';

const ids = { approval: `tab:${Date.now()} a`, failed: `tab:${Date.now()} f`, gone: `tab:${Date.now()} g` };
const session = `tab-session-${Date.now()}`;
const tools = [
  defineTool({ name: 'pay', description: 'pays', approval: 'always', run: () => 'paid' }),
  brokenTool(),
];
const asking = (tool: string) =>
  defineAgent({ name: tool, kind: 'zero-shot', model: modelOf(() => act(tool, 'x')), tools });

const config = defineConfig({ agents: [asking('pay'), asking('broken')] });
const rig = useRig(config, { server: [] });
beforeAll(async () => {
  const { client } = rig;
  const approval = await client.start('pay', 'what?', { id: ids.approval });
  const failed = await client.start('broken', 'what?', { id: ids.failed });
  const gone = await client.start('pay', 'what?', { id: ids.gone });
  await gone.cancel();
  await gone.result().catch(() => undefined);
  await client
    .session(session)
    .send({ id: `${session}-1`, agent: 'pay', input: 'what?' }, { taskQueue: rig.taskQueue, detach: true });
  for (const run of [approval, failed]) await waitOf(run);
});
afterEach(() => vi.unstubAllEnvs());

/** The words that a shell is told, of those that are ours. */
async function offered(...words: string[]): Promise<string[]> {
  vi.stubEnv('TEMPORAL_ADDRESS', rig.client.address);
  const io = fakeIo();
  expect(await cli(['complete', '--', 'reloop', ...words], io)).toBe(0);
  expect(io.err()).toBe('');
  return io
    .out()
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '');
}

const ours = (words: string[]) => words.filter((word) => Object.values(ids).includes(word)).toSorted();

describe('the words that a shell is offered on TAB', () => {
  test.each([
    ['approve', [ids.approval]],
    ['resolve', [ids.approval, ids.failed]],
    ['show', [ids.approval, ids.failed, ids.gone]],
  ])('are for %s the runs that it is for', async (command, runs) => {
    // The server's list lags behind by a moment.
    await vi.waitFor(async () => expect(ours(await offered(command, ''))).toEqual(runs.toSorted()), {
      timeout: 20_000,
    });
  });

  test('are the calls of a run that the decision fits, and sessions', async () => {
    // The command says nothing where the server does not answer at once.
    await vi.waitFor(async () => expect(await offered('approve', ids.approval, '')).toEqual(['1.1']), {
      timeout: 20_000,
    });
    expect(await offered('approve', ids.failed, '')).toEqual(['']);
    await vi.waitFor(async () => expect(await offered('session', 'show', '')).toContain(session), {
      timeout: 20_000,
    });
  });

  test('are none, and nothing is said, where the server does not answer', async () => {
    const io = fakeIo();
    expect(await cli(['complete', '--', 'reloop', 'show', '--address', '127.0.0.1:1', ''], io)).toBe(0);
    expect(io.out() + io.err()).toBe('');
  });
});
