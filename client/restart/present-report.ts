import type { Client } from '@temporalio/client';
import { actionsUnderWay } from '../../history/views/billed-actions.ts';
import { addObstacles, obstaclesOf } from '../connect/obstacles.ts';
import { isOpenStatus } from '../read/run-filters.ts';
import type { RunReport } from '../report.ts';
import { historySize } from './replaced-run.ts';

/** Adds the state that only the server knows to a report: billed actions, calls that cannot continue, the size of the history. */
export async function withPresent(client: Client, report: RunReport, actions: number): Promise<RunReport> {
  const { id: workflowId, runId, status, usage } = report;
  const run = { workflowId, runId };
  const underWay = isOpenStatus(status) ? await actionsUnderWay(client, run) : 0;
  const present = { ...report, usage: { ...usage, actions: actions + underWay } };
  if (isOpenStatus(status)) addObstacles(present, await obstaclesOf(client, run));
  return { ...present, history: await historySize(client, run) };
}
