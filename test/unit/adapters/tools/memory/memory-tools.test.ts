import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inProcessMemory } from '../../../../../adapters/tools/memory/in-process-memory.ts';
import { memory } from '../../../../../adapters/tools/memory/memory-tools.ts';
import { postgresMemory } from '../../../../../adapters/tools/memory/postgres-memory.ts';
import { sqliteMemory } from '../../../../../adapters/tools/memory/sqlite-memory.ts';
import { isSameTool } from '../../../../../adapters/tools/same-tool.ts';
import { toolContext } from '../../../../../adapters/tools/test-context.ts';
import type { JsonObject } from '../../../../../agent/values/vocabulary.ts';
import type { Tool } from '../../../../../adapters/tools/tool.ts';
import { storeBehaviour } from '../../../../support/memory-stores.ts';
import { tempFolder } from '../../../../support/temp-folder.ts';

storeBehaviour('in the process', async () => inProcessMemory());
storeBehaviour('in a file of SQLite', async () => sqliteMemory(join(tempFolder(), 'deep', 'memory.db')));

test('two processes share a file of SQLite', async () => {
  const file = join(tempFolder(), 'memory.db');
  const [one, other] = [sqliteMemory(file), sqliteMemory(file)];
  const mine = { tenant: 'acme', scope: '' };
  const puts = Array.from({ length: 20 }, (_, index) =>
    (index % 2 === 0 ? one : other).put(mine, { key: `k${index}`, text: 't', updatedAt: index }, 100),
  );
  expect(new Set(await Promise.all(puts))).toEqual(new Set([true]));
  await one.close();
  expect(await other.search(mine, '', 100)).toHaveLength(20);
  expect(await one.search(mine, '', 100)).toHaveLength(20);
  await Promise.all([one.close(), other.close()]);
});

describe('the tools of a memory', () => {
  const call = (tools: Tool[], name: string, input: JsonObject, more: object = {}) => {
    const tool = tools.find((one) => one.name === name);
    return tool?.run(tool.parseInput(input) as never, toolContext(more)) as Promise<unknown>;
  };
  const of = (tenant: string, context: object = {}) => ({ tenant: async () => tenant, context });

  test('save, recall and forget, for one tenant', async () => {
    const tools = memory({ store: inProcessMemory() });
    await call(tools, 'save_memory', { key: 'colour', text: 'likes blue' }, of('acme'));
    await call(tools, 'save_memory', { key: 'colour', text: 'likes green' }, of('acme'));
    const saved = expect.stringMatching(/^\d{4}-\d\d-\d\d$/u);
    expect(await call(tools, 'recall_memory', { query: 'Colour?' }, of('acme'))).toEqual([
      { key: 'colour', text: 'likes green', saved },
    ]);
    expect(await call(tools, 'recall_memory', {}, of('other'))).toBe('There are no memories.');
    await call(tools, 'forget_memory', { key: 'colour' }, of('other'));
    expect(await call(tools, 'recall_memory', { query: 'green' }, of('acme'))).toHaveLength(1);
    await call(tools, 'forget_memory', { key: 'colour' }, of('acme'));
    expect(await call(tools, 'recall_memory', { query: 'green' }, of('acme'))).toBe('There are no memories.');
  });

  test('keep to a scope of the run, and need it', async () => {
    const tools = memory({ store: inProcessMemory(), scope: ({ user }) => user });
    await call(tools, 'save_memory', { key: 'k', text: 't' }, of('acme', { user: 'ann' }));
    expect(await call(tools, 'recall_memory', {}, of('acme', { user: 'ann' }))).toHaveLength(1);
    expect(await call(tools, 'recall_memory', {}, of('acme', { user: 'bob' }))).toBe(
      'There are no memories.',
    );
    for (const context of [{}, { user: '' }, { user: 7 }])
      await expect(call(tools, 'recall_memory', {}, of('acme', context))).rejects.toMatchObject({
        retryable: false,
        message: expect.stringContaining('returned no text'),
      });
  });

  test('say when there is no room, and still replace', async () => {
    const tools = memory({ store: inProcessMemory(), maxEntries: 1 });
    await call(tools, 'save_memory', { key: 'a', text: '1' });
    await expect(call(tools, 'save_memory', { key: 'b', text: '2' })).rejects.toThrow('Not saved');
    expect(await call(tools, 'save_memory', { key: 'a', text: '3' })).toBe('Saved.');
  });

  test('refuse long inputs, and take no NUL', async () => {
    const tools = memory({ store: inProcessMemory(), name: 'notes' });
    expect(tools.map(({ name }) => name)).toEqual(['save_notes', 'recall_notes', 'forget_notes']);
    const [save] = tools;
    expect(() => save?.parseInput({ key: 'k', text: 'x'.repeat(4001) })).toThrow();
    expect(() => save?.parseInput({ key: '  ', text: 'x' })).toThrow();
    await call(tools, 'save_notes', { key: 'k\0', text: 'a\0b' });
    expect(await call(tools, 'recall_notes', {})).toMatchObject([{ key: 'k', text: 'ab' }]);
  });

  test('of one store are the same tools in two agents', () => {
    const store = inProcessMemory();
    const [one, other, another] = [
      memory({ store }),
      memory({ store }),
      memory({ store: inProcessMemory() }),
    ];
    const pairs = (list: Tool[]) => one.map((tool, index) => isSameTool(tool, list[index] as Tool));
    expect(pairs(other)).toEqual([true, true, true]);
    expect(pairs(another)).toEqual([false, false, false]);
  });
});

test.each(['', 'localhost:5432', 'http://127.0.0.1/db'])('a store on PostgreSQL takes no URL %j', (url) => {
  expect(() => postgresMemory(url)).toThrow('url has to begin with postgres://');
});

test.each([
  ['用户的名字是莱拉', '用户叫什么名字'],
  ['顧客は配送を希望', '配送の希望'],
  ['ลูกค้าชอบกาแฟดำ', 'ชอบกาแฟอะไร'],
  ['paid in Zürich', 'zurich'],
  ['Cafe\u0301', 'Café'],
  ['the invoice was paid', 'invoices'],
  ['eine Rechnung', 'Rechnungen'],
  ['anything', 'nothing of it'],
])('a memory %s is found by %s', async (text, query) => {
  const store = inProcessMemory();
  const mine = { tenant: 't', scope: '' };
  await store.put(mine, { key: 'k', text, updatedAt: 1 }, 10);
  expect(await store.search(mine, query, 5)).toHaveLength(1);
});
