import { isMainThread } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { defineTool } from '../../../../index.ts';
import { toolContext } from '../../../../features/testing/index.ts';
import { testAgents } from '../../../../features/testing/test-agents.ts';

const counter = defineTool({
  name: 'counter',
  description: 'Counts on.',
  async run(text, ctx) {
    const from = Number(ctx.lastCheckpoint ?? 0);
    ctx.progress(`from ${from}`);
    ctx.log.warn('slow');
    await ctx.checkpoint(from + text.length);
    return ctx.lastCheckpoint;
  },
});

test('a tool in a test goes on from its checkpoint, and the test sees what it stored and said', async () => {
  const context = toolContext();
  expect(await counter.run('abc', context)).toBe(3);
  expect(await counter.run('de', context)).toBe(5);
  expect(context.checkpoints).toEqual([3, 5]);
  expect(context.progressTexts).toEqual(['from 0', 'from 3']);
  expect(context.logged).toEqual([1, 2].map(() => ({ level: 'warn', text: 'slow' })));
});

test('a checkpoint comes back as JSON makes of it, as after a crash', async () => {
  const context = toolContext();
  await context.checkpoint({ at: 1, left: undefined } as never); // JavaScript may store it
  expect(context.lastCheckpoint).toStrictEqual({ at: 1 });
});

test('a tool in a test is given what the test says in place of what is there', async () => {
  const context = toolContext({ lastCheckpoint: 7, complete: (prompt) => Promise.resolve(`${prompt}!`) });
  expect(await counter.run('a', context)).toBe(8);
  expect(await context.complete('hm')).toBe('hm!');
});

test('a tool in a test that asks a model without an answer is told how to give one', async () => {
  await expect(toolContext().complete('hm')).rejects.toThrow("toolContext({ complete: async () => '…' })");
});

test('testAgents() is refused in a thread, before it looks at anything', async () => {
  expect(isMainThread, 'the unit project runs in threads').toBe(false);
  const message = expect.stringContaining("pool: 'forks'");
  await expect(testAgents(undefined as never)).rejects.toMatchObject({ name: 'InvalidInput', message });
});
