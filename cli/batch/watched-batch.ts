import type { BatchOptions, BatchProgress, BatchResult } from '../../client/api/batch.ts';
import { locationOfRun } from '../../client/read/run-location.ts';
import { attended } from '../connection/command-worker.ts';
import type { CliContext } from '../connection/context.ts';
import { createProgressLine } from '../print/progress-line.ts';
import type { Io } from '../shell/io.ts';
import { watchProgress } from './batch-progress.ts';

export interface WatchedBatch {
  results: BatchResult[];
  progress: BatchProgress;
  ms: number;
  /** The signal that ended the batch before it was over, and as the results have it. */
  signal: 'SIGINT' | 'SIGTERM' | undefined;
  ended: AbortSignal;
}

/** Carries out a batch with its progress on stderr. `firstRun`: id of a run by which a missing worker is noticed. */
export async function watchedBatch(
  io: Io,
  context: CliContext,
  { total, firstRun }: { total: number; firstRun: string },
  carryOut: (options: Pick<BatchOptions, 'onProgress' | 'signal'>) => Promise<BatchResult[]>,
): Promise<WatchedBatch> {
  const ended = new AbortController();
  let signal: WatchedBatch['signal'];
  // Ctrl-C: no more runs are started, and the results that are there are written.
  const forgetSignals = io.onSignal((caught) => {
    signal = caught;
    ended.abort(new Error(`ended by ${caught}`));
  });
  const line = createProgressLine(io);
  const progress = watchProgress(line, total);
  const { notify } = context;
  context.notify = line.note;
  try {
    const results = await attended(
      context,
      () => locationOfRun(context.client.temporal, firstRun),
      () => carryOut({ onProgress: progress.update, signal: ended.signal }),
    );
    return { results, progress: progress.latest(), ms: progress.elapsedMs(), signal, ended: ended.signal };
  } finally {
    progress.stop();
    context.notify = notify;
    forgetSignals();
  }
}
