import { loadCommandConfig } from '../connection/command-config.ts';
import { neverStarted, withTemporal } from '../connection/context.ts';
import { namedQueue, queuesOf } from '../connection/task-queue.ts';
import { type CheckedRun, checkRuns } from '../check/check-runs.ts';
import type { CommonOptions } from '../options/options.ts';
import { count, oneLine } from '../../features/render/words/amounts.ts';
import { type Io, exitCodes, print, printJson } from '../shell/io.ts';

interface CheckOptions extends CommonOptions {
  /** Open workflows that are looked at. */
  limit: number;
  /** Ended workflows that are looked at. */
  ended: number;
}

/** `reloop check`: prints which runs this config and this version of Reloop would not continue. Exit code 1 if there are any. */
export async function check(io: Io, options: CheckOptions): Promise<number> {
  const config = await loadCommandConfig(options.config);
  const runs = (await neverStarted(options))
    ? []
    : await withTemporal(io, { ...options, loaded: config.loaded }, async (context) => {
        const { runs: taskQueue } = await queuesOf(context, config, namedQueue(io, options));
        const limits = { open: options.limit, ended: options.ended };
        return checkRuns(context.client, { loaded: config.loaded, taskQueue }, limits);
      });
  const troubled = runs.filter(({ problems }) => problems.length > 0);
  if (options.json === true) printJson(io, { checked: runs.length, runs: troubled });
  else for (const line of linesOf(runs, troubled, options)) print(io, line);
  return troubled.length === 0 ? exitCodes.answered : exitCodes.failed;
}

function linesOf(
  runs: readonly CheckedRun[],
  troubled: readonly CheckedRun[],
  options: CheckOptions,
): string[] {
  const open = runs.filter((run) => run.open).length;
  const all = `${count(open, 'open workflow')} and the latest ${runs.length - open} that are over`;
  const more = open === options.limit ? ` There may be more open ones: --limit.` : '';
  return [
    ...troubled.flatMap(({ id, type, problems }) => [
      `${oneLine(id)} (${type})`,
      ...problems.map((problem) => `  ${oneLine(problem)}`),
    ]),
    `Checked ${all}: ${troubled.length === 0 ? 'all of them continue.' : `${troubled.length} would not continue as before.`}${more}`,
  ];
}
