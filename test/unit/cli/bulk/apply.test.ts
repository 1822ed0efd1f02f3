import { describe, expect, test } from 'vitest';
import type { RunSummary } from '../../../../client/read/list-runs.ts';
import { applyAll } from '../../../../cli/bulk/apply.ts';
import { decidedByRun } from '../../../../cli/bulk/serve-bulk.ts';
import type { Target } from '../../../../cli/bulk/targets.ts';
import { fakeIo } from '../../../support/fake-io.ts';
import { offlineContext } from '../../../support/offline-context.ts';

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
const context = {
  ...offlineContext(),
  startWorker: () => Promise.reject(new Error('no worker is wanted')),
  close: () => Promise.resolve(),
};

const apply = (amount: number, send: (id: string) => Promise<void>, io = fakeIo()) =>
  applyAll(io, context, targets(amount), served, ({ run: { id } }) => send(id));

const names = (done: readonly Target[]) => done.map(({ run: { id } }) => id);

describe('a decision on many calls at once', () => {
  test('is done a few at a time', async () => {
    let [atOnce, most] = [0, 0];
    const { done } = await apply(40, async () => {
      most = Math.max(most, ++atOnce);
      await new Promise((resolve) => setImmediate(resolve));
      atOnce--;
    });
    expect({ done: done.length, most }).toEqual({ done: 40, most: 8 });
  });

  test('tells how far it is, on lines of their own where there is no terminal', async () => {
    const io = fakeIo();
    await apply(30, (id) => (id === 'r3' ? Promise.reject(new Error('no')) : Promise.resolve()), io);
    expect(io.err()).toBe('10 of 30, 1 refused\n20 of 30, 1 refused\n');
  });

  test('tells so in place on a terminal, and leaves nothing there', async () => {
    const io = fakeIo({ terminal: true });
    await apply(2, () => Promise.resolve(), io);
    expect(io.err()).toContain('2 of 2\n');
    expect(io.err().endsWith('\u{1b}[1A\u{1b}[0J')).toBe(true);
  });

  test('goes on after what is refused, and keeps the reasons', async () => {
    const { done, refused } = await apply(3, (id) =>
      id === 'r1' ? Promise.reject(new Error('moved\non')) : Promise.resolve(),
    );
    expect(names(done)).toEqual(['r0', 'r2']);
    expect(refused).toMatchObject([{ target: { run: { id: 'r1' } }, message: 'moved on' }]);
  });

  test('is not sent where nobody would answer', async () => {
    const elsewhere = { ...served, unserved: new Map([['elsewhere', 'Nobody works there.']]) };
    const both = [{ run: run('here') }, { run: run('there', 'elsewhere') }];
    const sent: string[] = [];
    const send = async ({ run: { id } }: Target) => void sent.push(id);
    const { done, refused } = await applyAll(fakeIo(), context, both, elsewhere, send);
    expect({ sent, done: names(done) }).toEqual({ sent: ['here'], done: ['here'] });
    expect(refused).toMatchObject([{ message: 'Nobody works there.' }]);
  });

  test('is answered as far as it was sent when Ctrl-C comes, and no more is sent', async () => {
    const io = fakeIo();
    const send = async (id: string) => {
      if (id === 'r0') io.signal('SIGINT');
      await new Promise((resolve) => setImmediate(resolve));
    };
    const { done, left, signal } = await apply(20, send, io);
    expect({ done: done.length, left: left.length, signal }).toEqual({ done: 1, left: 19, signal: 'SIGINT' });
  });

  test('does not wait for a worker of this process that has ended', async () => {
    const gone = { ...context, workerFailed: Promise.reject(new Error('the worker ended')) };
    const never = () => new Promise<void>(() => undefined);
    const { refused } = await applyAll(fakeIo(), gone, targets(1), served, never);
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
