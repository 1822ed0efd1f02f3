import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod/v4';
import { agentTool } from '../../adapters/tools/agent-tool.ts';
import type { MemoryStore } from '../../adapters/tools/memory/memory-store.ts';
import { memory } from '../../adapters/tools/memory/memory-tools.ts';
import { sqliteMemory } from '../../adapters/tools/memory/sqlite-memory.ts';
import { useRig } from '../support/rig.ts';
import { act, answer, modelOf, promptOf } from '../support/scripts.ts';
import { tempFolder } from '../support/temp-folder.ts';

const file = sqliteMemory(join(tempFolder(), 'memory.db'));
afterAll(() => file.close());

let puts = 0;
/** The first attempt of each save dies after it has written. */
const store: MemoryStore = {
  ...file,
  async put(...entry) {
    const stored = await file.put(...entry);
    puts++;
    if (puts % 2 === 1) throw new Error('the worker lost the connection');
    return stored;
  },
};

const tools = memory({ store, scope: ({ user }) => user });
for (const tool of tools) tool.retry = { initialInterval: 1 };

const rig = useRig({
  context: z.object({ user: z.string() }),
  agents: [
    {
      name: 'learner',
      model: modelOf((step, request) => {
        const [, key, text] = /learn (\S+) (.+)\./u.exec(promptOf(request)) ?? [];
        return step === '1' ? act('save_memory', JSON.stringify({ key, text })) : answer('saved');
      }),
      tools,
    },
    {
      name: 'asker',
      model: modelOf((step, request) =>
        step === '1'
          ? act('recall_memory', '{"query":"colour"}')
          : answer([...promptOf(request).matchAll(/Observation: (.+)/gu)].at(-1)?.[1] ?? ''),
      ),
      tools,
    },
    {
      name: 'boss',
      model: modelOf((step) => (step === '1' ? act('asker', 'colour?') : answer('asked'))),
      tools: [agentTool({ agent: 'asker', description: 'asks' })],
    },
  ],
});

test('a memory outlives its run, for the user of one tenant, and a repeated save is one', async () => {
  const { client } = rig;
  const [ann, bob] = [{ user: 'ann' }, { user: 'bob' }];
  await client.run('learner', 'learn colour blue.', { tenant: 'memory-a', context: ann });
  await client.run('learner', 'learn colour red.', { tenant: 'memory-b', context: ann });
  expect(puts).toBe(4);

  const recalled = async (tenant: string | undefined, context: { user: string }) =>
    (await client.run('asker', 'colour?', { tenant, context })).output;
  expect(await recalled('memory-a', ann)).toMatch(/^\[\{"key":"colour","text":"blue","saved":"[\d-]+"\}\]$/u);
  expect(await recalled('memory-b', ann)).toContain('"red"');
  expect(await recalled('memory-a', bob)).toBe('There are no memories.');
  expect(await recalled(undefined, ann)).toBe('There are no memories.');

  const { intermediateSteps } = await client.run('boss', 'go', { tenant: 'memory-b', context: ann });
  expect(intermediateSteps[0]?.observation).toContain('"red"');
});
