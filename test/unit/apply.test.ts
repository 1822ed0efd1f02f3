import { describe, expect, test } from 'vitest';
import type { AgentClient } from '../../client/api/agent-client.ts';
import type { RunSummary } from '../../client/read/list-runs.ts';
import { applyAll } from '../../cli/bulk/apply.ts';
import { decidedByRun } from '../../cli/bulk/serve-bulk.ts';
import type { Target } from '../../cli/bulk/targets.ts';
import type { CliContext } from '../../cli/connection/context.ts';
import { fakeIo } from '../support/fake-io.ts';

const run = (id: string, taskQueue = 'q'): RunSummary => ({
  id,
  runId: `of ${id}`,
  agent: 'a',
  input: 'what?',
  status: 'waiting',
  startedAt: new Date(0),
  closedAt: null,
  taskQueue,
});
const targets = (amount: number): Target[] =>
  Array.from({ length: amount }, (_, index) => ({ run: run(`r${index}`) }));
const served = { ours: new Set<string>(), unserved: new Map<string, string>() };

function context(workerFailed = new Promise<never>(() => undefined)): CliContext {
  return {
    client: {} as AgentClient, // nobody asks it anything
    namespace: 'default',
    embedded: undefined,
    workerFailed,
    notify: () => undefined,
    startWorker: () => Promise.reject(new Error('no worker is wanted')),
    close: () => Promise.resolve(),
  };
}

const names = (done: readonly Target[]) => done.map(({ run: { id } }) => id);

describe('a decision on many calls at once', () => {
  test('is done a few at a time', async () => {
    let [atOnce, most] = [0, 0];
    const { done } = await applyAll(fakeIo(), context(), targets(40), served, async () => {
      most = Math.max(most, ++atOnce);
      await new Promise((resolve) => setImmediate(resolve));
      atOnce--;
    });
    expect({ done: done.length, most }).toEqual({ done: 40, most: 8 });
  });

  test('tells how far it is, on lines of their own where there is no terminal', async () => {
    const io = fakeIo();
    await applyAll(io, context(), targets(30), served, ({ run: { id } }) =>
      id === 'r3' ? Promise.reject(new Error('no')) : Promise.resolve(),
    );
    expect(io.err()).toBe('10 of 30, 1 refused\n20 of 30, 1 refused\n');
  });

  test('tells so in place on a terminal, and leaves nothing there', async () => {
    const io = fakeIo({ terminal: true });
    await applyAll(io, context(), targets(2), served, () => Promise.resolve());
    expect(io.err()).toContain('2 of 2\n');
    expect(io.err().endsWith('\u{1b}[1A\u{1b}[0J')).toBe(true);
  });

  test('goes on after what is refused, and keeps the reasons', async () => {
    const { done, refused } = await applyAll(fakeIo(), context(), targets(3), served, ({ run: { id } }) =>
      id === 'r1' ? Promise.reject(new Error('moved\non')) : Promise.resolve(),
    );
    expect(names(done)).toEqual(['r0', 'r2']);
    expect(refused).toMatchObject([{ target: { run: { id: 'r1' } }, message: 'moved on' }]);
  });

  test('is not sent where nobody would answer', async () => {
    const unserved = new Map([['elsewhere', 'Nobody works there.']]);
    const both = [{ run: run('here') }, { run: run('there', 'elsewhere') }];
    const sent: string[] = [];
    const { done, refused } = await applyAll(
      fakeIo(),
      context(),
      both,
      { ...served, unserved },
      async ({ run: { id } }) => void sent.push(id),
    );
    expect({ sent, done: names(done) }).toEqual({ sent: ['here'], done: ['here'] });
    expect(refused).toMatchObject([{ message: 'Nobody works there.' }]);
  });

  test('is answered as far as it was sent when Ctrl-C comes, and no more is sent', async () => {
    const io = fakeIo();
    const { done, left, signal } = await applyAll(
      io,
      context(),
      targets(20),
      served,
      async ({ run: { id } }) => {
        if (id === 'r0') io.signal('SIGINT');
        await new Promise((resolve) => setImmediate(resolve));
      },
    );
    expect({ done: done.length, left: left.length, signal }).toEqual({ done: 1, left: 19, signal: 'SIGINT' });
  });

  test('does not wait for a worker of this process that has ended', async () => {
    const gone = Promise.reject(new Error('the worker ended'));
    const { refused } = await applyAll(
      fakeIo(),
      context(gone),
      targets(1),
      served,
      () => new Promise(() => undefined),
    );
    expect(refused).toMatchObject([{ message: 'the worker ended' }]);
  });
});

describe('the runs that a command stays for', () => {
  const decided = (id: string, call: string, parent?: string): Target => ({
    run: { ...run(id), parent },
    waiting: { call, n: 0, tool: 't', toolInput: 'x', reason: 'failed' },
  });

  test.each([
    ['itself, with its sub-agents’ calls', decided('a', '1.1/2.1'), 'a', '1.1/2.1'],
    ['a sub-agent’s parent', decided('a/1.1', '2.1', 'a'), 'a', '1.1/2.1'],
    ['the topmost of several', decided('a/1.1~2/1/3.1', '4', 'a/1.1~2'), 'a', '1.1~2/1/3.1/4'],
    ['itself in a session', decided('a', '2.1', 'session:s'), 'a', '2.1'],
    ['itself, whatever its name', decided('a/1.1', '2.1'), 'a/1.1', '2.1'],
  ])('are %s', (_title, target, id, call) => {
    const byRun = decidedByRun([target]);
    expect([...byRun.keys()]).toEqual([id]);
    expect(byRun.get(id)).toMatchObject([{ call }]);
  });

  test('are each there once', () => {
    const byRun = decidedByRun([decided('a/1.1', '2.1', 'a'), decided('a', '1.2'), { run: run('a') }]);
    expect([...byRun].map(([id, calls]) => [id, calls.length])).toEqual([['a', 2]]);
  });
});
