import type { Client } from '@temporalio/client';
import {
  type BacktestReport,
  type BacktestedRun,
  totalsOf,
  unreadRun,
} from '../../agent/backtest/backtest-report.ts';
import { fieldsOf } from '../../agent/values/json-object.ts';
import type { BacktestInput } from '../../workflows/messages.ts';
import type { Fact } from '../read/fact.ts';
import { readLineage } from '../read/lineage.ts';
import type { RunRef } from '../read/pages.ts';
import type { Recorded } from '../read/payloads.ts';
import type { RecordedRunRef } from '../../agent/run/run-input.ts';

/** State of a backtest. `compared`: the run that was just compared; undefined at the start and the end. */
export interface BacktestProgress {
  report: BacktestReport;
  compared: BacktestedRun | undefined;
}

/** Reads a backtest from the history of its workflow. `follow`: waits for new events until the backtest ends. */
export async function* readBacktest(
  client: Client,
  run: RunRef,
  { id, follow }: { id: string; follow: boolean },
): AsyncGenerator<BacktestProgress> {
  const report: BacktestReport = {
    id,
    agent: '',
    model: null,
    status: 'running',
    total: 0,
    runs: [],
    totals: totalsOf([]),
  };
  /** Inputs of the activities under way, by the key of their facts. */
  const open = new Map<string, { name: string; input: Recorded }>();
  for await (const fact of readLineage(client, run, follow)) {
    if (fact.type === 'scheduled' && fact.of === 'activity') open.set(fact.key, fact);
    if (fact.type === 'started') {
      open.clear(); // each run numbers its events from 1
      Object.assign(report, await readStart(fact.input));
      yield { report, compared: undefined };
    }
    const compared = await comparedBy(fact, open);
    if (compared !== undefined) {
      report.runs.push(compared);
      report.totals = totalsOf(report.runs);
      yield { report, compared };
    }
    const status = statusBy(fact);
    if (status === undefined) continue;
    report.status = status;
    yield { report, compared: undefined };
  }
}

async function readStart(input: Recorded): Promise<Pick<BacktestReport, 'agent' | 'model' | 'total'>> {
  const { agent, overrides, runs, counts } = (await input()) as BacktestInput; // written by our client, or by the backtest's continue-as-new
  const before = Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0);
  return { agent, model: overrides?.model ?? null, total: before + runs.length };
}

async function comparedBy(
  fact: Fact,
  open: ReadonlyMap<string, { name: string; input: Recorded }>,
): Promise<BacktestedRun | undefined> {
  if ((fact.type !== 'succeeded' && fact.type !== 'failed') || fact.of !== 'activity') return undefined;
  const activity = open.get(fact.key);
  if (activity === undefined) return undefined;
  if (fact.type === 'failed') {
    const { workflowId, runId } = recordedRunOf(await activity.input());
    return unreadRun(workflowId, runId, (await fact.failure()).error);
  }
  if (activity.name !== 'compareRun') return undefined;
  return (await fact.result()) as BacktestedRun; // the result of that activity
}

/** Reads the recorded run in the input of either of a backtest's activities. */
function recordedRunOf(input: unknown): RecordedRunRef {
  const { before = input } = fieldsOf(input);
  return before as RecordedRunRef; // written by the backtest
}

function statusBy({ type }: Fact): BacktestReport['status'] | undefined {
  switch (type) {
    case 'run_succeeded':
      return 'completed';
    case 'run_failed':
      return 'failed';
    case 'run_cancelled':
      return 'cancelled';
    default:
      return undefined;
  }
}
