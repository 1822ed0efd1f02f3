import type { BacktestReport, BacktestedRun } from '../../agent/backtest/backtest-report.ts';
import type { Backtest } from '../../client/backtest/backtest-handle.ts';
import { locationOfRun } from '../../client/read/run-location.ts';
import { type Io, exitCodes, print, signalCodes } from '../shell/io.ts';
import { progressBar, verdictWords } from '../print/backtest-report-lines.ts';
import { oneLine } from '../../features/render/words/amounts.ts';
import { type ProgressLine, createProgressLine } from '../print/progress-line.ts';
import { sayLeft } from './finish.ts';
import type { FollowContext } from './follow.ts';
import { type Leaving, watchSignals } from './leave.ts';
import { warnWithoutWorker } from '../connection/command-worker.ts';
import { shellWord, typedCommand } from '../../client/connect/cli-name.ts';

/** Shows a backtest on stderr until it ends, or continues without us. */
export async function followBacktest(
  io: Io,
  context: FollowContext,
  backtest: Pick<Backtest, 'workflowId' | 'progress' | 'describe' | 'cancel'>,
): Promise<BacktestReport | Leaving> {
  const line = createProgressLine(io);
  const signals = watchSignals(io, backtest, { onInterrupt: 'leave', clear: line.end });
  const { notify } = context;
  context.notify = line.note;
  const stopWarning = warnWithoutWorker(context, () =>
    locationOfRun(context.client.temporal, backtest.workflowId),
  );
  const progress = backtest.progress();
  try {
    for (let last: BacktestReport | undefined; ;) {
      const next = await Promise.race([progress.next(), signals.leaving, context.workerFailed]);
      if ('type' in next) return next;
      if (next.done === true) return last ?? (await backtest.describe());
      last = next.value.report;
      showProgress(line, last, next.value.compared);
    }
  } finally {
    stopWarning();
    signals.stop();
    line.end();
    context.notify = notify;
  }
}

export function leftBacktest(
  io: Io,
  { why }: Leaving,
  { agent, id, isOnlyWorker, flags }: { agent: string; id: string; isOnlyWorker: boolean; flags: string[] },
): number {
  const again = typedCommand('backtest', [agent], ['--id', shellWord(id), ...flags]);
  sayLeft(io, 'backtest', again, isOnlyWorker);
  if (why !== 'detached') return signalCodes[why];
  print(io, id);
  return exitCodes.answered;
}

/** Shows a bar on a terminal, with a line for each run that has changed; on other outputs a line for each run. */
function showProgress(line: ProgressLine, report: BacktestReport, compared: BacktestedRun | undefined): void {
  const { runs, total } = report;
  if (line.isLive) line.show(progressBar(report));
  if (compared === undefined || (line.isLive && compared.verdict === 'same')) return;
  const place = `${runs.length}/${total}`.padStart(String(total).length * 2 + 1);
  line.note(`${place}  ${oneLine(compared.id)}  ${verdictWords(compared)}`);
}
