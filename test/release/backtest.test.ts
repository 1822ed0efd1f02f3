import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CrashRig, linesOf, startCrashRig } from '../support/crash-rig.ts';
import { until } from '../support/processes.ts';
import { act, answer } from '../support/scripts.ts';

/** A backtest whose one worker is killed with SIGKILL, again and again. */
const STEPS = 6;
const RUNS = 4;
let rig: CrashRig;
let record: string;

beforeAll(async () => {
  rig = await startCrashRig({
    config: 'test/fixtures/crash.config.ts',
    replies({ prompt }) {
      const done = prompt.split('Observation: worked on').length - 1;
      const text = done < STEPS ? act('work', `part ${done + 1}`) : answer('all parts');
      return { text, delayMs: 150 };
    },
  });
  record = join(rig.folder, 'executions');
});
afterAll(() => rig.stop());

test('a backtest whose worker is killed three times compares every run once, and no finished step is asked again', async () => {
  let worker = rig.startWorker(record);
  const runs = [];
  for (let n = 0; n < RUNS; n++) runs.push(await rig.client.start('worker', `Do the parts, ${n}.`));
  for (const run of runs) await run.result();
  const [effects, asked] = [linesOf(record).length, rig.model.requests.length];

  const backtest = await rig.client.backtest('worker', { runs: runs.map(({ id }) => id), concurrency: 2 });
  const kills = 3;
  for (let kill = 1; kill <= kills; kill++) {
    const seen = rig.model.requests.length;
    await until(() => rig.model.requests.length > seen + 3);
    await worker.killGroup();
    worker = rig.startWorker(record);
  }
  const report = await backtest.report();
  expect(report).toMatchObject({ status: 'completed', total: RUNS, totals: { same: RUNS, changed: 0 } });
  expect(report.runs.map(({ id }) => id).toSorted()).toEqual(runs.map(({ id }) => id).toSorted());
  expect(linesOf(record)).toHaveLength(effects);
  // Each kill costs at most the calls that were under way: one in each of two runs.
  const needed = RUNS * (STEPS + 1);
  expect(rig.model.requests.length - asked).toBeGreaterThanOrEqual(needed);
  expect(rig.model.requests.length - asked).toBeLessThanOrEqual(needed + kills * 2);
});
