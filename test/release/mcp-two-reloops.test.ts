import { afterAll, beforeAll, expect, test } from 'vitest';
import { fieldOf } from '../../agent/values/values.ts';
import { eventsOf } from '../support/rig.ts';
import { type Part, type TwoReloops, parts, startTwoReloops } from '../support/two-reloops.ts';

/** Id of a run that an idempotency key names: that of the call of the first. Other ids are shorter. */
const OF_KEY = /^payer-[\da-f]{24}$/u;

let reloops: TwoReloops;
beforeAll(async () => {
  reloops = await startTwoReloops();
  await reloops.startAll();
}, 120_000);
afterAll(() => reloops.stop());

function ordersOf(some: readonly Part[]): Part[][] {
  if (some.length <= 1) return [[...some]];
  return some.flatMap((part) => ordersOf(some.filter((one) => one !== part)).map((rest) => [part, ...rest]));
}
const orders = ordersOf(parts).map((order, index) => ({
  order,
  names: order.join(', '),
  bill: `bill-${index}`,
}));

test.each(orders)(
  'one effect and one answer, when these are killed: $names',
  async ({ order, bill }) => {
    const id = await reloops.ask(bill);
    await expect.poll(() => reloops.count('begun', bill), { timeout: 60_000 }).toBeGreaterThan(0);
    await reloops.kill(...order);
    await reloops.startAll();
    expect(await reloops.ask(bill)).toBe(id);
    reloops.letPay(bill);
    const run = reloops.first.client.get(id);
    const statusOf = async () => (await run.describe()).status;
    await expect.poll(statusOf, { timeout: 90_000, interval: 500 }).toBe('completed');
    const { output, intermediateSteps } = await run.describe();
    expect(output).toBe(`told: ${bill}`);
    expect(intermediateSteps).toMatchObject([{ observation: expect.stringContaining(`paid ${bill}`) }]);
    expect(reloops.count('paid', bill)).toBe(1);
    const runs = await reloops.runsOf(bill);
    expect(runs).toEqual([expect.stringMatching(OF_KEY)]);
    const stored = (await eventsOf(run)).filter((event) => event.type === 'checkpoint');
    expect(new Set(stored.map(({ checkpoint }) => fieldOf(checkpoint, 'task')))).toEqual(new Set(runs));
  },
  240_000,
);
