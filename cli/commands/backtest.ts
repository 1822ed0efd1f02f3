import type { BacktestReport } from '../../agent/backtest/backtest-report.ts';
import type { LiveTools } from '../../agent/definition/recorded-agent.ts';
import { temporalSettings } from '../../client/connect/connect.ts';
import { locationOfRun } from '../../client/read/run-location.ts';
import type { RecordedRuns } from '../../client/backtest/recorded-runs.ts';
import { checkAgent, checkModel, configFor } from '../connection/command-config.ts';
import { neverStarted, withTemporal } from '../connection/context.ts';
import { namedQueue, queuesOf } from '../connection/task-queue.ts';
import { prepareWorker } from '../../worker/run-worker.ts';
import { serve, untilItsCodeIsSaved } from '../connection/command-worker.ts';
import { type Io, UsageError, exitCodes, printColored, printJson, say } from '../shell/io.ts';
import { followBacktest, leftBacktest } from '../follow/follow-backtest.ts';
import { onlyWorker } from '../follow/finish.ts';
import { type CommonOptions, flagsToRepeat } from '../options/options.ts';
import { reportLines } from '../print/backtest-report-lines.ts';
import { colorsFor } from '../shell/display.ts';

interface BacktestOptions extends CommonOptions {
  runs?: string;
  limit: number;
  model?: string;
  live?: LiveTools;
  concurrency: number;
  failOnChange?: boolean;
  id?: string;
}

/** `reloop backtest`: replays recorded runs against an agent, and prints the differences. */
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
  const opened = { ...options, loaded: config?.loaded };
  return withTemporal(io, opened, async (context) => {
    const { client } = context;
    const { runs: taskQueue } = await queuesOf(context, config, namedQueue(io, options));
    await untilItsCodeIsSaved(context);
    const started = await client.backtest(agent, { runs, id, limit, model, live, concurrency, taskQueue });
    const place = await locationOfRun(client.temporal, started.workflowId);
    const ours = config !== undefined && (await serve(context, place, options));
    const followed = await followBacktest(io, context, started);
    if ('why' in followed) {
      const isOnlyWorker = await onlyWorker(ours, context, started.workflowId)();
      return leftBacktest(io, followed, {
        agent,
        id: started.id,
        isOnlyWorker,
        flags: flagsToRepeat(options),
      });
    }
    return finish(io, followed, options);
  });
}

const NO_RUNS =
  "Which recorded runs? --runs takes ids with commas between, or a visibility query of Temporal's such as 'StartTime > \"2026-01-01T00:00:00Z\"'; --id alone continues an existing backtest.";

/** Ids, or a query: a text with a comparison is a query. */
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
  else
    for (const line of reportLines(report, colorsFor(io.stdout, io.env), io.stdout)) printColored(io, line);
  if (report.status === 'cancelled') {
    say(io, `error: Cancelled: backtest ${report.id} was cancelled`);
    return exitCodes.cancelled;
  }
  if (report.status === 'failed') return exitCodes.failed;
  return failOnChange === true && report.totals.changed > 0 ? exitCodes.failed : exitCodes.answered;
}
