import { aFewAtATime } from '../../agent/values/concurrent.ts';
import { locationOfRun } from '../../client/read/run-location.ts';
import { type ProgressLine, createProgressLine } from '../print/progress-line.ts';
import { warnWithoutWorker } from '../connection/command-worker.ts';
import type { CliContext } from '../connection/context.ts';
import { type Io, asTyped } from '../shell/io.ts';
import { oneLine } from '../../features/render/words/amounts.ts';
import type { ServedQueues } from './serve-bulk.ts';
import { AT_ONCE, type Target } from './targets.ts';

export interface BulkResult {
  done: Target[];
  refused: { target: Target; message: string }[];
  /** Targets that got nothing: a signal ended the command. */
  left: Target[];
  signal: 'SIGINT' | 'SIGTERM' | undefined;
}

/** Applies `act` to every target, a few at a time. A target that is refused does not stop the others. */
export async function applyAll(
  io: Io,
  context: CliContext,
  targets: readonly Target[],
  { unserved }: ServedQueues,
  act: (target: Target) => Promise<unknown>,
): Promise<BulkResult> {
  const result: BulkResult = { done: [], refused: [], left: [], signal: undefined };
  const progress = createProgressLine(io);
  const report = reportTo(progress, result, targets.length);
  if (progress.isLive) report();
  // Ctrl-C: calls under way are awaited, no more are sent.
  const forgetSignals = io.onSignal((signal) => (result.signal = signal));
  const { notify } = context;
  context.notify = progress.note;
  const warnings = firstOfEachQueue(targets).map(({ run }) =>
    warnWithoutWorker(context, () => locationOfRun(context.client.temporal, run.id)),
  );
  try {
    await aFewAtATime(targets, AT_ONCE, async (target) => {
      if (result.signal !== undefined) return void result.left.push(target);
      try {
        const problem = unserved.get(target.run.taskQueue);
        if (problem !== undefined) throw new Error(problem);
        await Promise.race([act(target), context.workerFailed]);
        result.done.push(target);
      } catch (error) {
        const message = oneLine(asTyped(error instanceof Error ? error.message : String(error)));
        result.refused.push({ target, message });
      }
      report();
    });
  } finally {
    for (const stop of warnings) stop();
    context.notify = notify;
    forgetSignals();
    progress.end();
  }
  return result;
}

/** Lines of progress where they cannot be rewritten in place. */
const MOST_LINES = 10;

function reportTo(progress: ProgressLine, { done, refused }: BulkResult, total: number): () => void {
  const every = Math.max(10, Math.ceil(total / MOST_LINES));
  return () => {
    const count = done.length + refused.length;
    const isDue = count % every === 0 && count < total;
    if (!progress.isLive && !isDue) return;
    progress.show(`${count} of ${total}${refused.length === 0 ? '' : `, ${refused.length} refused`}`);
  };
}

function firstOfEachQueue(targets: readonly Target[]): Target[] {
  return [...new Map(targets.map((target) => [target.run.taskQueue, target])).values()];
}
