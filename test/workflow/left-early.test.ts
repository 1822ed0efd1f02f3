import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { describe, expect, test, vi } from 'vitest';
import { AgentClient } from '../../client/api/agent-client.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { defineModel } from '../../adapters/models/model.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { countOpenPolls } from '../support/counted-calls.ts';
import { eventOf, useRig } from '../support/rig.ts';
import { act, script } from '../support/scripts.ts';

const slow = defineTool({
  name: 'slow',
  description: 'is never done, and says so again and again',
  async run(_input, { progress, signal }) {
    for (let seen = 0; ; seen++) {
      progress(`seen ${seen}`);
      await sleep(100, undefined, { signal });
    }
  },
});

const silent = defineModel({ call: () => new Promise(() => undefined) });

const rig = useRig({
  agents: [
    { name: 'a', model: script(act('slow', 'x')), tools: [slow] },
    { name: 'talks', kind: 'conversational', model: silent },
  ],
});

test('no long poll is left after a reader leaves the events of a run early', async () => {
  const open = countOpenPolls(rig);
  const run = await rig.client.start('a', 'what?');
  for await (const { type } of run.events()) {
    // The first progress may come before the next poll begins. What is to come is asked for meanwhile.
    if (type === 'tool_progress' && open.size > 0) break;
  }
  await vi.waitFor(() => expect(open.size).toBe(0), 30_000);
  expect(open.most).toBe(1);
  vi.restoreAllMocks();
  await run.cancel();
});

describe('a client that is closed', () => {
  const readers: [what: string, read: (run: AgentRun, client: AgentClient) => Promise<unknown>][] = [
    ['result()', (run) => run.result()],
    ['events()', (run) => drain(run.events())],
    ['events() with sub-agents', (run) => drain(run.events({ subAgents: true, live: false }))],
    ['requests()', (run) => drain(run.requests())],
    [
      'a message that waits for its turn in a session',
      async (_run, client) => {
        await client.start('talks', 'first', { session: 'closing', detach: true });
        await client.start('talks', 'second', { session: 'closing' });
      },
    ],
  ];
  test.each(readers)('ends %s, and says so', async (_, read) => {
    const { client, run } = await another();
    const ended = read(run, client).catch((error: unknown) => error);
    await eventOf(rig.client.get(run.id).events({ live: false }), 'tool_started');
    await client.close();
    expect(await ended).toMatchObject({ name: 'ClientClosed' });
    await expect(run.describe()).rejects.toMatchObject({ name: 'ClientClosed' });
    expect((await rig.client.get(run.id).describe()).status).toBe('running');
    await rig.client.get(run.id).cancel();
  });

  test('ends a response, so that its page comes back to another server', async () => {
    const { client, run } = await another();
    const text = (await run.toResponse()).text();
    await eventOf(rig.client.get(run.id).events({ live: false }), 'tool_started');
    await client.close();
    expect(await text).not.toContain('run_ended');
    await rig.client.get(run.id).cancel();
  });

  test('ends events that nobody is asking for at the moment', async () => {
    const { client, run } = await another();
    const events = run.events();
    await events.next();
    await client.close();
    await expect(events.next()).rejects.toMatchObject({ name: 'ClientClosed' });
    await rig.client.get(run.id).cancel();
  });

  /** A connection can be closed only once. */
  async function another() {
    const { address, taskQueue } = rig.client;
    const temporal = new Client({ connection: await Connection.connect({ address }) });
    const client = new AgentClient(temporal, address, taskQueue);
    return { client, run: await client.start('a', 'what?') };
  }
});

async function drain(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}
