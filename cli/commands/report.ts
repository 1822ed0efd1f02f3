import { cliName } from '../../client/connect/cli-name.ts';
import { neverStarted, withTemporal } from '../connection/context.ts';
import { type FilterOptions, filtersOf } from '../options/bulk-options.ts';
import type { CommonOptions } from '../options/options.ts';
import { createProgressLine } from '../print/progress-line.ts';
import { createRunsReport } from '../report/runs-report.ts';
import { reportLines } from '../report/report-lines.ts';
import { type Io, exitCodes, print, printJson, say } from '../shell/io.ts';
import { checkAgentName } from './list.ts';

/** Runs between two lines of progress on a terminal. */
const SHOWN_EVERY = 25;

/** `reloop report`: sums up the runs that fit. Reads one run after the other, and keeps none. */
export async function report(io: Io, options: CommonOptions & FilterOptions): Promise<number> {
  const sum = createRunsReport();
  if (!(await neverStarted(options))) {
    await withTemporal(io, options, async (context) => {
      const line = createProgressLine(io);
      try {
        let read = 0;
        for await (const run of context.client.list({ ...filtersOf(options), full: true })) {
          sum.add(run);
          if (line.isLive && ++read % SHOWN_EVERY === 0) line.show(`${read} runs read`);
        }
      } finally {
        line.end();
      }
      if (sum.report().runs === 0 && options.agent !== undefined)
        await checkAgentName(context, options.agent, options);
    });
  }
  const summed = sum.report();
  if (options.json === true) printJson(io, summed);
  else if (summed.runs === 0) say(io, `No run fits. \`${cliName()} list\` shows all.`);
  else for (const text of reportLines(summed)) print(io, text);
  return exitCodes.answered;
}
