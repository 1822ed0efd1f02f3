import { Client, Connection } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import {
  type BacktestReport,
  type BacktestedRun,
  totalsOf,
  unreadRun,
} from '../../agent/backtest/backtest-report.ts';
import { AgentClient } from '../../client/agent-client.ts';
import { followBacktest, leftBacktest } from '../../cli/follow/follow-backtest.ts';
import { fakeIo } from '../support/fake-io.ts';

/** Nothing here reaches a server: the connection is opened when it is first used. */
const context = {
  client: new AgentClient(
    new Client({ connection: Connection.lazy({ address: '127.0.0.1:1' }) }),
    '127.0.0.1:1',
    'reloop',
  ),
  namespace: 'default',
  embedded: undefined,
  workerFailed: new Promise<never>(() => undefined),
  notify: () => undefined,
};

const same: BacktestedRun = {
  ...unreadRun('one', 'r', { type: 'T', message: 'm' }),
  verdict: 'same',
  sameSteps: 3,
};
const failed = unreadRun('two', 'r', { type: 'T', message: 'm' });

function reportOf(...runs: BacktestedRun[]): BacktestReport {
  return { id: 'b', agent: 'a', model: null, status: 'running', total: 2, runs, totals: totalsOf(runs) };
}

/** A backtest of two runs; without an end it goes on for ever. */
function fakeBacktest(ends: boolean) {
  return {
    workflowId: 'backtest:b',
    async *progress() {
      yield { report: reportOf(), compared: undefined };
      yield { report: reportOf(same), compared: same };
      yield { report: reportOf(same, failed), compared: failed };
      if (!ends) await new Promise(() => undefined);
    },
    describe: () => Promise.reject(new Error('nobody asked')),
    cancel: () => Promise.reject(new Error('nobody asked')),
  };
}

describe('a backtest that is followed', () => {
  test('has a line for each run where there is no terminal', async () => {
    const io = fakeIo();
    const followed = await followBacktest(io, context, fakeBacktest(true));
    expect(followed).toEqual(reportOf(same, failed));
    expect(io.err()).toBe('1/2  one  same (3 steps)\n2/2  two  failed\n');
    expect(io.out()).toBe('');
  });

  test('has a bar on a terminal, and lines for the runs that have changed', async () => {
    const io = fakeIo({ terminal: true, columns: 60 });
    await followBacktest(io, context, fakeBacktest(true));
    expect(io.err()).toContain('[------------------------] 0/2 · 0 same · 0 changed\n');
    expect(io.err()).toContain('[############------------] 1/2 · 1 same · 0 changed\n');
    expect(io.err()).toContain('2/2  two  failed\n');
    expect(io.err()).not.toContain('one  same');
  });

  test('is left where it is by Ctrl-C', async () => {
    const io = fakeIo();
    const following = followBacktest(io, context, fakeBacktest(false));
    await new Promise((resolve) => setImmediate(resolve));
    io.signal('SIGINT');
    const left = await following;
    expect(left).toEqual({ type: 'left', why: 'SIGINT' });
    const how = { agent: 'my agent', id: 'b', ours: false, flags: ['--config', 'x.ts'] };
    expect(leftBacktest(io, { type: 'left', why: 'SIGINT' }, how)).toBe(130);
    expect(io.err()).toContain("reloop backtest 'my agent' --id b --config x.ts\n");
    expect(leftBacktest(io, { type: 'left', why: 'SIGTERM' }, { ...how, ours: true })).toBe(143);
    expect(io.err()).toContain('Its worker was this command');
  });
});
