import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fieldOf } from '../../agent/values/values.ts';
import type { AgentRun } from '../../client/index.ts';
import { allOf } from '../support/all-of.ts';
import { type Part, type TwoReloops, parts, startTwoReloops } from '../support/two-reloops.ts';

/** Id of a run that an idempotency key names: that of the call of the first. Other ids are shorter. */
const OF_KEY = /^payer-[\da-f]{24}$/u;

let reloops: TwoReloops;
beforeAll(async () => {
  reloops = await startTwoReloops();
  await reloops.startAll();
}, 120_000);
afterAll(() => reloops.stop());

const statusOf = (run: AgentRun) => async () => (await run.describe()).status;
const soon = { timeout: 90_000, interval: 200 };

/** A run of the first whose call has begun the tool of the second. */
async function begin(bill: string): Promise<AgentRun> {
  const id = await reloops.ask(bill);
  await expect.poll(() => reloops.count('begun', bill), soon).toBeGreaterThan(0);
  return reloops.first.client.get(id);
}

/** Tasks of the second that the run's history names. */
async function tasksOf(run: AgentRun): Promise<unknown[]> {
  const events = await allOf(run.events({ live: false, follow: false }));
  return events.flatMap((event) => (event.type === 'checkpoint' ? [fieldOf(event.checkpoint, 'task')] : []));
}

/**
 * The even orders: 12 of 24. They have each kill that there can be: each part is killed while each set of the others is dead, and no
 * kill of two or three parts comes twice.
 */
function evenOrders(some: readonly Part[]): Part[][] {
  return ordersOf(some).filter((order) => {
    const pairs = order.flatMap((one, at) => order.slice(at + 1).map((other) => [one, other] as const));
    return pairs.filter(([one, other]) => parts.indexOf(one) > parts.indexOf(other)).length % 2 === 0;
  });
}

function ordersOf(some: readonly Part[]): Part[][] {
  if (some.length <= 1) return [[...some]];
  return some.flatMap((part) => ordersOf(some.filter((one) => one !== part)).map((rest) => [part, ...rest]));
}
const orders = evenOrders(parts).map((order, index) => ({
  order,
  names: order.join(', '),
  bill: `bill-${index}`,
}));

test('the orders have each kill of a part beside each set of dead others', () => {
  const kills = orders.flatMap(({ order }) =>
    order.map((part, at) => `${part} after ${order.slice(0, at).sort().join(' and ')}`),
  );
  expect(new Set(kills).size).toBe(4 * 2 ** 3);
});

test.each(orders)(
  'one effect and one answer, when these are killed: $names',
  async ({ order, bill }) => {
    const run = await begin(bill);
    await reloops.kill(...order);
    await reloops.startAll();
    expect(await reloops.ask(bill)).toBe(run.id);
    reloops.letPay(bill);
    await expect.poll(statusOf(run), soon).toBe('completed');
    const { output, intermediateSteps } = await run.describe();
    expect(output).toBe(`told: ${bill}`);
    expect(intermediateSteps).toMatchObject([{ observation: expect.stringContaining(`paid ${bill}`) }]);
    expect(reloops.count('paid', bill)).toBe(1);
    const runs = await reloops.runsOf(bill);
    expect(runs).toEqual([expect.stringMatching(OF_KEY)]);
    expect(new Set(await tasksOf(run))).toEqual(new Set(runs));
  },
  240_000,
);

describe('a cancel reaches the tool of the other Reloop', () => {
  const CANCELLED = { run: 'cancelled', asked: ['cancelled'], told: 1, paid: 0 };

  /** The run of the first, the runs of the second, and what the tool of the second has done. */
  async function stateOf(run: AgentRun, bill: string): Promise<typeof CANCELLED> {
    const asked = (await reloops.runsOf(bill)).map((id) => statusOf(reloops.second.client.get(id))());
    return {
      run: await statusOf(run)(),
      asked: await Promise.all(asked),
      told: reloops.count('cancelled', bill),
      paid: reloops.count('paid', bill),
    };
  }

  /** A run whose history knows the run of the second, so that any worker can cancel it. */
  async function beginKnown(bill: string): Promise<AgentRun> {
    const run = await begin(bill);
    await expect.poll(() => tasksOf(run), soon).not.toEqual([]);
    return run;
  }

  const cancelCall = (run: AgentRun) => run.decide('1.1', { type: 'cancelCall' });

  test('of a run and of a call', async () => {
    const [run, ofCall] = [await beginKnown('bill-run'), await beginKnown('bill-call')];
    await run.cancel();
    await cancelCall(ofCall);
    await expect.poll(() => stateOf(run, 'bill-run'), soon).toEqual(CANCELLED);
    await expect.poll(() => stateOf(ofCall, 'bill-call'), soon).toEqual({ ...CANCELLED, run: 'completed' });
  }, 240_000);

  test('after a kill of the worker, and while no worker is there', async () => {
    const [run, ofCall] = [await beginKnown('bill-killedrun'), await beginKnown('bill-killedcall')];
    const ofNobody = await beginKnown('bill-nobody');
    await reloops.kill('worker of the first');
    await ofNobody.cancel();
    await reloops.startAll();
    await run.cancel();
    await cancelCall(ofCall);
    await expect.poll(() => stateOf(run, 'bill-killedrun'), soon).toEqual(CANCELLED);
    await expect
      .poll(() => stateOf(ofCall, 'bill-killedcall'), soon)
      .toEqual({ ...CANCELLED, run: 'completed' });
    await expect.poll(() => stateOf(ofNobody, 'bill-nobody'), soon).toEqual(CANCELLED);
  }, 240_000);

  test('while the gateway of the other Reloop is away', async () => {
    const run = await beginKnown('bill-away');
    await reloops.kill('gateway of the second');
    await run.cancel();
    await reloops.startAll();
    await expect.poll(() => stateOf(run, 'bill-away'), soon).toEqual(CANCELLED);
  }, 240_000);
});
