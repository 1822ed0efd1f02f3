import type { BatchProgress } from '../../client/api/batch.ts';
import { noUsage } from '../../agent/values/vocabulary.ts';
import { costWords } from '../../features/render/words/usage-words.ts';
import type { ProgressLine } from '../print/progress-line.ts';

/** Time between two texts: on a terminal, where the line changes in place, and elsewhere. */
const LIVE_MS = 200;
const LINES_MS = 10_000;

/** Shows the progress of a batch until `stop` is called. */
export function watchProgress(line: ProgressLine, total: number) {
  const startedAt = Date.now();
  let latest: BatchProgress = { total, running: 0, waiting: 0, done: 0, failed: 0, usage: noUsage };
  const show = () => line.show(progressWords(latest, Date.now() - startedAt));
  const timer = setInterval(show, line.isLive ? LIVE_MS : LINES_MS);
  timer.unref();
  return {
    update: (progress: BatchProgress) => void (latest = progress),
    latest: () => latest,
    elapsedMs: () => Date.now() - startedAt,
    stop(): void {
      clearInterval(timer);
      line.end();
    },
  };
}

/** `12 of 300 done, 1 failed, 2 wait, 4 running, $0.0041, 3.2 a second`. */
export function progressWords(
  { total, running, waiting, done, failed, usage }: BatchProgress,
  ms: number,
): string {
  const ended = done + failed;
  const seconds = ms / 1000;
  const rate = ended / seconds;
  return [
    `${done} of ${total} done`,
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(waiting === 0 ? [] : [`${waiting} ${waiting === 1 ? 'waits' : 'wait'} for a person`]),
    ...(running === 0 ? [] : [`${running} running`]),
    ...costWords(usage),
    // A rate of the first moments says nothing.
    ...(ended === 0 || seconds < 1
      ? []
      : [rate >= 1 ? `${rate.toFixed(1)} a second` : `${(rate * 60).toFixed(1)} a minute`]),
  ].join(', ');
}
