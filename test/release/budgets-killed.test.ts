import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BudgetUse } from '../../client/index.ts';
import type { RecordedRequest, ScriptedReply } from '../../features/testing/index.ts';
import { type CrashRig, startCrashRig } from '../support/crash-rig.ts';
import { act, answer } from '../support/scripts.ts';

const RUNS = 6;
const STEPS = 4;
const HELD = 2;
/** Tokens of a reply, as the agent's `maxTokens`: the estimates of requests that nobody settles are those of the bill. */
const REPLY_TOKENS = 50;

const bill = { calls: 0, totalTokens: 0 };
let holds = true;
let held = 0;

function reply({ prompt }: RecordedRequest): ScriptedReply {
  const promptTokens = Math.ceil(prompt.length / 4);
  bill.calls += 1;
  bill.totalTokens += promptTokens + REPLY_TOKENS;
  const step = prompt.split('Observation: counted').length;
  const text = step < STEPS ? act('next', String(step)) : answer('counted');
  const isHeld = holds && step === HELD;
  if (isHeld) held += 1;
  return {
    text,
    usage: { promptTokens, completionTokens: REPLY_TOKENS },
    delayMs: isHeld ? 60_000 : 50,
  };
}

let rig: CrashRig;
beforeAll(async () => {
  rig = await startCrashRig({ config: 'test/fixtures/budgets.config.ts', replies: reply });
});
afterAll(() => rig.stop());

test('budgets have counted what the model billed, each request once, though the worker is killed while it waits for replies', async () => {
  const worker = rig.startWorker();
  const runs = await Promise.all(
    Array.from({ length: RUNS }, (_, index) =>
      rig.client.start('counter', `what is ${index}?`, { tenant: index % 2 === 0 ? 'acme' : 'globex' }),
    ),
  );
  await expect.poll(() => held, { timeout: 60_000 }).toBe(RUNS);
  await worker.killGroup();
  holds = false;
  rig.startWorker();
  const results = await Promise.all(runs.map((run) => run.result()));
  expect(results.map(({ output }) => output)).toEqual(runs.map(() => 'counted'));

  const reports = await rig.client.budgets().list();
  const now = reports.map(({ rule, key, periods: [period] }) => ({ name: rule.name, key, ...period }));
  expect(now.map(({ name, key }) => [name, key])).toEqual([
    ['all', ''],
    ['tenants', 'acme'],
    ['tenants', 'globex'],
  ]);
  const [all, ...tenants] = now;
  expect(all).toMatchObject({ reserved: { calls: 0 }, unsettled: { calls: RUNS } });
  for (const counted of [[all], tenants]) expect(sum(counted)).toEqual(bill);
});

test('while workers are killed at any time, no request is billed that the budgets have not counted', async () => {
  const kills = 4;
  const before = { ...bill };
  const all = async () => (await rig.client.budgets().list())[0]?.periods[0];
  const counted = async () => sum([await all()]);
  const start = await counted();
  const runs = await Promise.all(
    Array.from({ length: 2 * RUNS }, (_, index) =>
      rig.client.start('counter', `what is ${index}?`, { tenant: 'initech' }),
    ),
  );
  for (let kill = 0; kill < kills; kill += 1) {
    const seen = bill.calls;
    await expect.poll(() => bill.calls, { timeout: 60_000 }).toBeGreaterThan(seen + kill);
    await sleep(Math.random() * 200);
    await rig.killWorkers();
    rig.startWorker();
  }
  await Promise.all(runs.map((run) => run.result()));

  const end = await counted();
  const billed = bill.calls - before.calls;
  expect(end.calls - start.calls).toBeGreaterThanOrEqual(billed);
  expect(end.totalTokens - start.totalTokens).toBeGreaterThanOrEqual(bill.totalTokens - before.totalTokens);
  // A killed worker has reserved no more than one request of each run that it has not sent.
  expect(end.calls - start.calls).toBeLessThanOrEqual(billed + kills * runs.length);
});

function sum(
  periods: readonly ({ used?: BudgetUse; unsettled?: BudgetUse; reserved?: BudgetUse } | undefined)[],
): typeof bill {
  const uses = periods.flatMap((period) => [period?.used, period?.unsettled, period?.reserved]);
  const of = (name: keyof typeof bill) => uses.reduce((total, use) => total + (use?.[name] ?? 0), 0);
  return { calls: of('calls'), totalTokens: of('totalTokens') };
}
