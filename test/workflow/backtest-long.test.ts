import { afterAll, beforeAll, expect, test } from 'vitest';
import { findTemporalBinary } from '../../server/binary/binary.ts';
import { defineTool } from '../../tools/tool.ts';
import { type DevServer, startDevServer } from '../support/dev-server.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { act, answer, modelOf } from '../support/scripts.ts';

const STEPS = 4;
const RUNS = 3;

let calls = 0;
const count = defineTool({ name: 'count', description: 'counts', run: () => `${++calls}` });
const model = modelOf((step) => (Number(step) <= STEPS ? act('count', 'x') : answer('ok')));

let server: DevServer;
let rig: Rig;
beforeAll(async () => {
  const { path } = await findTemporalBinary({ onProgress: () => undefined });
  // Runs of one turn, and backtests of one run, are long enough to be continued as new.
  const early = ['--dynamic-config-value', 'limit.historyCount.suggestContinueAsNew=12'];
  server = await startDevServer(path ?? 'temporal', early);
  rig = await startRig({ agents: [{ name: 'a', model, tools: [count] }] }, {}, server.address);
}, 60_000);
afterAll(async () => {
  await rig.stop();
  await server.stop();
});

test('a backtest and its runs go on as before over continue-as-new', async () => {
  const runs = [];
  for (let n = 0; n < RUNS; n++) runs.push(await rig.client.start('a', `question ${n}`));
  for (const run of runs) await run.result();
  const made = calls;
  const backtest = await rig.client.backtest('a', { runs: runs.map(({ id }) => id), concurrency: 1 });
  const report = await backtest.report();
  expect(report).toMatchObject({ status: 'completed', total: RUNS, totals: { same: RUNS, changed: 0 } });
  expect(calls).toBe(made);
  const { runId } = await rig.temporal.workflow.getHandle(backtest.workflowId).describe();
  expect(runId).not.toBe(await firstRunOf(backtest.workflowId));
  for (const { id, again } of report.runs) {
    const [then, now] = [await rig.client.get(id).describe(), await rig.client.get(again ?? '').describe()];
    const observed = now.intermediateSteps.map(({ observation }) => observation);
    expect(observed).toEqual(then.intermediateSteps.map(({ observation }) => observation));
    expect(new Set(observed).size).toBe(STEPS);
    expect(now.runId).not.toBe(await firstRunOf(now.id));
  }
}, 60_000);

async function firstRunOf(workflowId: string): Promise<string | undefined> {
  const history = await rig.temporal.workflow.getHandle(workflowId).fetchHistory();
  return history.events?.[0]?.workflowExecutionStartedEventAttributes?.firstExecutionRunId ?? undefined;
}
