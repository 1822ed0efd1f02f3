import { expect, test } from 'vitest';
import type { ListOptions } from '../../client/read/run-filters.ts';
import { agentTool } from '../../adapters/tools/agent-tool.ts';
import { allOf } from '../support/all-of.ts';
import { useRig, waitOf } from '../support/rig.ts';
import { brokenTool } from '../support/sample-tools.ts';
import { act, answer, modelOf, toolCall } from '../support/scripts.ts';

const broken = brokenTool();
const below = agentTool({ agent: 'tag-below', description: 'asks another' });
const calls = (tool: string) => modelOf((step) => (step === '1' ? act(tool, 'x') : answer('done')));
const rig = useRig({
  agents: [
    { name: 'tag-top', model: calls(below.name), tools: [below] },
    { name: 'tag-below', model: modelOf(() => answer('done')) },
    { name: 'tag-waits', model: calls('broken'), tools: [broken] },
    {
      name: 'tag-native',
      kind: 'tool-calling',
      model: modelOf((step) => (step === '1' ? { toolCalls: [toolCall(below.name)] } : 'done')),
      tools: [below],
    },
  ],
});

async function listed(options: ListOptions): Promise<{ [id: string]: readonly string[] | undefined }> {
  const found = await allOf(rig.client.list(options));
  return Object.fromEntries(found.map(({ id, tags }) => [id, tags]));
}

/** The server's list follows the history a moment later. */
const soon = { timeout: 10_000 };

test('the list finds runs by all of the given tags, and sub-agents have none', async () => {
  await rig.client.run('tag-top', 'what?', { id: 'tag-1', tags: ['nightly', 'eu'] });
  await rig.client.run('tag-top', 'what?', { id: 'tag-2', tags: ['nightly', 'us'] });
  await expect
    .poll(() => listed({ tags: ['nightly'] }), soon)
    .toEqual({
      'tag-1': ['nightly', 'eu'],
      'tag-2': ['nightly', 'us'],
    });
  expect(await listed({ tags: ['nightly', 'us'] })).toEqual({ 'tag-2': ['nightly', 'us'] });
  expect(await listed({ tags: ['night'] })).toEqual({});
});

test('a message of a session and a start by hand bring tags', async () => {
  await rig.client.run('tag-native', 'what?', { id: 'tag-said', session: 'tags', tags: ['said'] });
  await expect.poll(() => listed({ tags: ['said'] }), soon).toEqual({ 'tag-said': ['said'] });
  await rig.temporal.workflow.execute('agentRun', {
    taskQueue: rig.taskQueue,
    workflowId: 'tag-by-hand',
    args: [{ agent: 'tag-native', input: 'what?', tags: ['by hand'] }],
  });
  await expect.poll(() => listed({ tags: ['by hand'] }), soon).toEqual({ 'tag-by-hand': ['by hand'] });
});

test('a retry and a fork keep the tags', async () => {
  const run = await rig.client.start('tag-waits', 'what?', { id: 'tag-kept', tags: ['kept'] });
  await waitOf(run, { call: '1.1' });
  await run.decide('1.1', { type: 'abort' });
  await expect(run.result()).rejects.toThrow('Aborted by the operator');
  await run.retry();
  await waitOf(run, { call: '1.1' });
  const fork = await run.fork({ step: 1, id: 'tag-fork' });
  await waitOf(rig.client.get(fork.id), { call: '1.1' });
  await expect
    .poll(() => listed({ tags: ['kept'], status: 'waiting' }), soon)
    .toEqual({
      'tag-kept': ['kept'],
      'tag-fork': ['kept'],
    });
});

test.each([[[]], [['']], [['a"b']], ['nightly'], [Array.from({ length: 21 }, String)]])(
  'the tags %j are refused at a start and in a list',
  async (tags) => {
    const given = { tags: tags as never };
    await expect(rig.client.start('tag-top', 'what?', given)).rejects.toThrow(
      'tags has to be a list of 1 to 20',
    );
    await expect(rig.client.listPage(given)).rejects.toThrow('tags has to be a list of 1 to 20');
  },
);

test('a fork takes no tags', async () => {
  const fork = rig.client.get('any').fork({ step: 1, tags: ['other'] } as never);
  await expect(fork).rejects.toThrow('A fork keeps the tags, the tenant and the priority of its run');
});
