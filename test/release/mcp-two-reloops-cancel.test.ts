import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AgentRun } from '../../client/index.ts';
import { type TwoReloops, startTwoReloops } from '../support/two-reloops.ts';

let reloops: TwoReloops;
beforeAll(async () => {
  reloops = await startTwoReloops();
  await reloops.startAll();
}, 120_000);
afterAll(() => reloops.stop());

/** A run of the first whose call has begun the tool of the second. */
async function begin(bill: string): Promise<AgentRun> {
  const id = await reloops.ask(bill);
  await expect.poll(() => reloops.count('begun', bill), { timeout: 60_000 }).toBeGreaterThan(0);
  return reloops.first.client.get(id);
}

/** The tool of the second was told, and its one run was cancelled. Nothing was paid. */
async function expectCancelled(bill: string): Promise<void> {
  const [run = '', ...others] = await reloops.runsOf(bill);
  expect(others).toEqual([]);
  const statusOf = async () => (await reloops.second.client.get(run).describe()).status;
  await expect.poll(statusOf, { timeout: 60_000, interval: 200 }).toBe('cancelled');
  await expect.poll(() => reloops.count('cancelled', bill), { timeout: 10_000 }).toBe(1);
  expect(reloops.count('paid', bill)).toBe(0);
}

const statusOf = (run: AgentRun) => async () => (await run.describe()).status;

const ends: { what: string; bill: string; end(run: AgentRun): Promise<unknown>; status: string }[] = [
  { what: 'the run', bill: 'run', end: (run) => run.cancel(), status: 'cancelled' },
  {
    what: 'the call',
    bill: 'call',
    end: (run) => run.decide('1.1', { type: 'cancelCall' }),
    status: 'completed',
  },
];

test.each(ends)(
  'a cancel of $what reaches the tool of the other Reloop',
  async ({ bill, end, status }) => {
    const run = await begin(`bill-${bill}`);
    await end(run);
    await expect.poll(statusOf(run), { timeout: 30_000 }).toBe(status);
    await expectCancelled(`bill-${bill}`);
  },
  120_000,
);

test.each(ends)(
  'so it does after a kill of the worker: $what',
  async ({ bill, end, status }) => {
    const run = await begin(`bill-killed${bill}`);
    await reloops.kill('worker of the first');
    await reloops.startAll();
    await end(run);
    await expect.poll(statusOf(run), { timeout: 60_000 }).toBe(status);
    await expectCancelled(`bill-killed${bill}`);
  },
  120_000,
);

test('so it does while no worker is there', async () => {
  const run = await begin('bill-nobody');
  await reloops.kill('worker of the first');
  await run.cancel();
  await reloops.startAll();
  await expect.poll(statusOf(run), { timeout: 60_000 }).toBe('cancelled');
  await expectCancelled('bill-nobody');
}, 120_000);

test('so it does while the gateway of the other Reloop is away', async () => {
  const run = await begin('bill-away');
  await reloops.kill('gateway of the second');
  await run.cancel();
  await reloops.startAll();
  await expect.poll(statusOf(run), { timeout: 60_000 }).toBe('cancelled');
  await expectCancelled('bill-away');
}, 120_000);
