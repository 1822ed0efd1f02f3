import { describe, expect, test } from 'vitest';
import { AgentClient } from '../../../client/api/agent-client.ts';
import type { RunFilters } from '../../../client/read/run-filters.ts';
import { findTemporalBinary } from '../../../local/server/binary/binary.ts';
import { agentTool } from '../../../adapters/tools/agent-tool.ts';
import { defineTool } from '../../../adapters/tools/tool.ts';
import { startDevServer } from '../../support/dev-server.ts';
import { useRig, waitOf } from '../../support/rig.ts';
import { act, answer, modelOf } from '../../support/scripts.ts';
import { connectTo } from '../../../client/connect/connect.ts';
import { brokenTool } from '../../support/sample-tools.ts';
import { allOf } from '../../support/all-of.ts';
import type { AgentRunInput } from '../../../agent/run/run-input.ts';
import { AGENT_RUN } from '../../../workflows/messages.ts';

/** What a run says of itself to the server's list, and what that costs. */
const broken = brokenTool();
const below = agentTool({ agent: 'attr-below', description: 'asks another' });
const says = (...replies: string[]) => modelOf((step) => replies[Number(step) - 1] ?? answer('done'));
const look = defineTool({ name: 'look', description: 'looks', effects: 'none', run: () => 'seen' });
/** More than fits into one run of Temporal's here. */
const long = modelOf((step) => (Number(step) > 45 ? answer('done') : act('look', step)));
const rig = useRig({
  agents: [
    { name: 'attr-plain', model: says() },
    { name: 'attr-above', model: says(act(below.name, 'x')), tools: [below] },
    { name: 'attr-below', model: says() },
    { name: 'attr-long', model: long, tools: [look], maxIterations: null },
    { name: 'attr-stops', model: says(), maxIterations: 0 },
    { name: 'attr-waits', model: says(act('broken', 'x')), tools: [broken] },
  ],
});

/** Temporal's number of the event. */
const UPSERT_SEARCH_ATTRIBUTES = 40;

async function upserts(id: string): Promise<number> {
  const { events } = await rig.temporal.workflow.getHandle(id).fetchHistory();
  return (events ?? []).filter(({ eventType }) => Number(eventType) === UPSERT_SEARCH_ATTRIBUTES).length;
}

async function listed(filters: RunFilters): Promise<string[]> {
  const found = await allOf(rig.client.list(filters));
  return found.map(({ id, status }) => `${id} ${status}`).toSorted();
}

const statusOf = async (id: string) =>
  (await rig.temporal.workflow.getHandle(id).describe()).typedSearchAttributes
    .getAll()
    .find(({ key }) => key.name === 'ReloopStatus')?.value;

describe('a run that was started with its attributes', () => {
  test('writes none where it only runs and answers, and is found by its agent', async () => {
    await rig.client.run('attr-plain', 'what?', { id: 'attr-plain' });
    expect(await upserts('attr-plain')).toBe(0);
    await expect
      .poll(() => listed({ agent: 'attr-plain', status: 'completed' }), { timeout: 10_000 })
      .toEqual(['attr-plain completed']);
    expect(await listed({ agent: 'attr-plain', status: ['running', 'stopped', 'failed'] })).toEqual([]);
  });

  test('gives its sub-agents theirs', async () => {
    await rig.client.run('attr-above', 'what?', { id: 'attr-above' });
    expect(await upserts('attr-above')).toBe(0);
    expect(await upserts('attr-above/1.1')).toBe(0);
    await expect
      .poll(() => listed({ agent: 'attr-below' }), { timeout: 10_000 })
      .toEqual(['attr-above/1.1 completed']);
  });

  test('says that a limit stopped it', async () => {
    await rig.client.run('attr-stops', 'what?', { id: 'attr-stops' });
    expect(await upserts('attr-stops')).toBe(1);
    await expect
      .poll(() => listed({ agent: 'attr-stops', status: 'stopped' }), { timeout: 10_000 })
      .toEqual(['attr-stops stopped']);
    expect(await listed({ agent: 'attr-stops', status: 'completed' })).toEqual([]);
  });

  test('says that it waits, and no longer when it goes on', async () => {
    const run = await rig.client.start('attr-waits', 'what?', { id: 'attr-waits' });
    await waitOf(run);
    expect(await statusOf('attr-waits')).toBe('waiting');
    await expect
      .poll(() => listed({ agent: 'attr-waits', status: 'waiting' }), { timeout: 10_000 })
      .toEqual(['attr-waits waiting']);
    expect(await listed({ agent: 'attr-waits', status: 'running' })).toEqual([]);
    await run.pause();
    expect(await statusOf('attr-waits')).toBe('paused');
    await run.resume();
    await run.decide('1.1', { type: 'skip' });
    await run.result();
    expect(await statusOf('attr-waits')).toBeUndefined();
    await expect
      .poll(() => listed({ agent: 'attr-waits', status: 'completed' }), { timeout: 10_000 })
      .toEqual(['attr-waits completed']);
    expect(await listed({ agent: 'attr-waits', status: ['waiting', 'paused'] })).toEqual([]);
  });

  test('keeps them where it is continued as new', async () => {
    const run = await rig.client.start('attr-long', 'what?', { id: 'attr-long' });
    const { runId } = await rig.temporal.workflow.getHandle(run.id).describe();
    await run.result();
    const last = await rig.temporal.workflow.getHandle(run.id).describe();
    expect(last.runId).not.toBe(runId);
    expect(await upserts(run.id)).toBe(0);
    await expect
      .poll(() => listed({ agent: 'attr-long', status: 'completed' }), { timeout: 10_000 })
      .toEqual(['attr-long completed']);
  });

  test('keeps them over a rewind', async () => {
    await rig.client.run('attr-plain', 'what?', { id: 'attr-again' });
    const run = rig.client.get('attr-again');
    await run.rewind({ step: 1 });
    await run.result();
    expect(await upserts('attr-again')).toBe(0);
    await expect
      .poll(() => listed({ agent: 'attr-plain', text: 'what?' }), { timeout: 10_000 })
      .toContain('attr-again completed');
  });
});

test('a run that was started by hand writes its agent itself, once', async () => {
  const input: AgentRunInput = { agent: 'attr-plain', question: { input: 'what?', chatHistory: [] } };
  await rig.temporal.workflow.execute(AGENT_RUN, {
    workflowId: 'attr-by-hand',
    taskQueue: rig.taskQueue,
    args: [input],
  });
  expect(await upserts('attr-by-hand')).toBe(1);
  await expect
    .poll(() => listed({ agent: 'attr-plain', status: 'completed' }), { timeout: 10_000 })
    .toContain('attr-by-hand completed');
});

test('a server that does not know the attributes starts runs and sessions all the same, once each', async () => {
  const { path } = await findTemporalBinary({ onProgress: () => undefined });
  const server = await startDevServer(path ?? 'temporal');
  try {
    const temporal = await connectTo(server.address, 'default');
    const client = new AgentClient(temporal, server.address, 'nobody');
    const run = await client.start('a', 'what?', { id: 'without' });
    await client.start('a', 'again?', { id: 'without' });
    await client.start('a', 'in a session?', { id: 'said', session: 's', detach: true });
    expect((await run.describe()).input).toBe('what?');
    const { queued } = await client.session('s').describe();
    expect(queued).toEqual(['said']);
    await client.close();
  } finally {
    await server.stop();
  }
});
