import type { BacktestReport } from '../../agent/backtest/backtest-report.ts';
import type { LiveTools } from '../../agent/backtest/recorded-agent.ts';
import { temporalSettings } from '../../client/connect.ts';
import { placeOfRun } from '../../client/place.ts';
import type { RecordedRuns } from '../../client/recorded-runs.ts';
import { prepareWorker } from '../../worker/run-worker.ts';
import { checkAgent, checkModel, configFor } from '../check-agent.ts';
import { queuesOf } from '../command-config.ts';
import { namedQueue, neverStarted } from '../context.ts';
import { UsageError, exitCodes } from '../exit-codes.ts';
import { followBacktest, leftBacktest } from '../follow/follow-backtest.ts';
import { type Io, print, printJson, say } from '../io.ts';
import { type CommonOptions, flagsToRepeat } from '../options.ts';
import { reportLines } from '../print/backtest-report-lines.ts';
import { colorsFor } from '../print/display.ts';
import { serve, untilItsCodeIsSaved, withTemporal } from '../with-run.ts';

export interface BacktestOptions extends CommonOptions {
  runs?: string;
  limit: number;
  model?: string;
  live?: LiveTools;
  concurrency: number;
  failOnChange?: boolean;
  id?: string;
}

/** `reloop backtest`: recorded runs are asked again of an agent, and what is not the same is printed. */
export async function backtest(io: Io, agent: string, options: BacktestOptions): Promise<number> {
  const { id, limit, model, live, concurrency } = options;
  const runs = recordedRuns(options);
  if (runs === undefined && id === undefined) throw new UsageError(NO_RUNS);
  const named = temporalSettings(options).address !== undefined;
  const config = await configFor(options, named);
  if (config !== undefined) {
    checkAgent(config.loaded, agent);
    if (!named) checkModel(config.loaded, agent, model);
  }
  if (await neverStarted(options)) throw new UsageError('There are no runs yet that could be asked again.');
  if (!named) prepareWorker();
  return withTemporal(io, options, async (context) => {
    const { client } = context;
    const { runs: taskQueue } = await queuesOf(context, config, namedQueue(io, options));
    await untilItsCodeIsSaved(context);
    const started = await client.backtest(agent, { runs, id, limit, model, live, concurrency, taskQueue });
    const place = await placeOfRun(client.temporal, started.workflowId);
    const ours = config !== undefined && (await serve(context, place, options));
    const followed = await followBacktest(io, context, started);
    if ('why' in followed) {
      return leftBacktest(io, followed, { agent, id: started.id, ours, flags: flagsToRepeat(options) });
    }
    return finish(io, followed, options);
  });
}

const NO_RUNS =
  "Which recorded runs? --runs takes ids with commas between, or a visibility query of Temporal's such as 'StartTime > \"2026-01-01T00:00:00Z\"'; --id alone goes on with a backtest that is there.";

/** Ids, or a query: what compares something is one. */
function recordedRuns({ runs }: BacktestOptions): RecordedRuns | undefined {
  if (runs === undefined) return undefined;
  if (/[=<>]|\s(?:STARTS_WITH|IN|IS|BETWEEN)\s/iu.test(runs)) return { query: runs };
  return runs
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
}

function finish(io: Io, report: BacktestReport, { json, failOnChange }: BacktestOptions): number {
  if (json === true) printJson(io, report);
  else for (const line of reportLines(report, colorsFor(io.stdout, io.env), io.stdout)) print(io, line);
  if (report.status === 'cancelled') {
    say(io, `error: Cancelled: backtest ${report.id} was cancelled`);
    return exitCodes.cancelled;
  }
  if (report.status === 'failed') return exitCodes.failed;
  return failOnChange === true && report.totals.changed > 0 ? exitCodes.failed : exitCodes.answered;
}
