import type { BacktestReport, BacktestedRun } from '../../agent/backtest/backtest-report.ts';
import type { Backtest } from '../../client/backtest-handle.ts';
import { placeOfRun } from '../../client/place.ts';
import { exitCodes } from '../exit-codes.ts';
import { type Io, print, say } from '../io.ts';
import { progressBar, verdictWords } from '../print/backtest-report-lines.ts';
import { fit, oneLine, shellWord } from '../print/display.ts';
import { createLiveRegion } from '../print/live-region.ts';
import type { FollowContext } from './follow.ts';
import { type Leaving, watchSignals } from './leave.ts';
import { warnWithoutWorker } from './no-worker.ts';
import { reloop } from '../../client/typed-command.ts';

/** Shows a backtest on stderr until it ends, or goes on without us. */
export async function followBacktest(
  io: Io,
  context: FollowContext,
  backtest: Pick<Backtest, 'workflowId' | 'progress' | 'describe' | 'cancel'>,
): Promise<BacktestReport | Leaving> {
  const display = createDisplay(io);
  const signals = watchSignals(io, backtest, { onInterrupt: 'leave', clear: display.clear });
  const { notify } = context;
  context.notify = (line) => display.note(line);
  const stopWarning = warnWithoutWorker(context, () =>
    placeOfRun(context.client.temporal, backtest.workflowId),
  );
  const progress = backtest.progress();
  try {
    for (let last: BacktestReport | undefined; ;) {
      const next = await Promise.race([progress.next(), signals.leaving, context.workerFailed]);
      if ('type' in next) return next;
      if (next.done === true) return last ?? (await backtest.describe());
      last = next.value.report;
      display.show(last, next.value.compared);
    }
  } finally {
    stopWarning();
    signals.stop();
    display.clear();
    context.notify = notify;
  }
}

/** How a backtest that is left goes on. */
export function leftBacktest(
  io: Io,
  { why }: Leaving,
  { agent, id, ours, flags }: { agent: string; id: string; ours: boolean; flags: string[] },
): number {
  const again = [reloop(), 'backtest', shellWord(agent), '--id', shellWord(id), ...flags].join(' ');
  const goesOn = ours
    ? `Its worker was this command, so the backtest stands still until there is another: \`${reloop()} dev\`, or`
    : 'The backtest goes on wherever a worker serves it:';
  say(io, `${goesOn} ${again}`);
  if (why === 'SIGTERM') return exitCodes.terminated;
  if (why === 'SIGINT') return exitCodes.cancelled;
  print(io, id);
  return exitCodes.answered;
}

/** A bar on a terminal, and the runs that have changed; elsewhere a line for each run. */
function createDisplay({ stderr, env }: Io) {
  const live = stderr.isTTY === true && env['TERM'] !== 'dumb';
  const region = createLiveRegion((text) => stderr.write(text));
  const width = () => (stderr.columns === undefined || stderr.columns === 0 ? 80 : stderr.columns);
  let bar: string[] = [];
  const note = (line: string) => {
    region.clear();
    stderr.write(`${line}\n`);
    if (live) region.show(bar);
  };
  return {
    note,
    clear: region.clear,
    show(report: BacktestReport, compared: BacktestedRun | undefined) {
      const { runs, total } = report;
      bar = [fit(progressBar(report), width() - 1)];
      if (compared !== undefined && !(live && compared.verdict === 'same')) {
        const place = `${runs.length}/${total}`.padStart(String(total).length * 2 + 1);
        note(`${place}  ${oneLine(compared.id)}  ${verdictWords(compared)}`);
      } else if (live) region.show(bar);
    },
  };
}
