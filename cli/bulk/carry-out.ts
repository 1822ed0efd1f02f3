import { aFewAtATime } from '../../agent/concurrent.ts';
import { placeOfRun } from '../../client/place.ts';
import type { CliContext } from '../context.ts';
import { warnWithoutWorker } from '../follow/no-worker.ts';
import type { Io } from '../io.ts';
import { oneLine } from '../print/display.ts';
import { createProgress } from './bulk-progress.ts';
import type { Served } from './serve-queues.ts';
import { AT_ONCE, type Target } from './targets.ts';

/** What became of each target. */
export interface CarriedOut {
  done: Target[];
  refused: Refused[];
  /** Nothing was sent to these: somebody ended the command. */
  left: Target[];
  signal: 'SIGINT' | 'SIGTERM' | undefined;
}

export interface Refused {
  target: Target;
  message: string;
}

/** Decides on every target, a few at a time. What is refused keeps nothing else from being done. */
export async function carryOut(
  io: Io,
  context: CliContext,
  targets: readonly Target[],
  { unserved }: Served,
  act: (target: Target) => Promise<unknown>,
): Promise<CarriedOut> {
  const result: CarriedOut = { done: [], refused: [], left: [], signal: undefined };
  const progress = createProgress(io, targets.length);
  // Ctrl-C: what is under way is answered, no more is begun.
  const forgetSignals = io.onSignal((signal) => (result.signal = signal));
  const { notify } = context;
  context.notify = progress.note;
  const warnings = firstOfEachQueue(targets).map(({ run }) =>
    warnWithoutWorker(context, () => placeOfRun(context.client.temporal, run.id)),
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
        const message = oneLine(error instanceof Error ? error.message : String(error));
        result.refused.push({ target, message });
      }
      progress.show(result.done.length, result.refused.length);
    });
  } finally {
    for (const stop of warnings) stop();
    context.notify = notify;
    forgetSignals();
    progress.end();
  }
  return result;
}

function firstOfEachQueue(targets: readonly Target[]): Target[] {
  return [...new Map(targets.map((target) => [target.run.taskQueue, target])).values()];
}
