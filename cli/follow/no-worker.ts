import { hostname } from 'node:os';
import type { Place } from '../../client/place.ts';
import { pollers } from '../../client/task-queue.ts';
import type { CliContext } from '../context.ts';
import { serving } from '../task-queue.ts';

/** Where something is that takes a worker; with `untaken` it is also seen that nobody does it. */
export type WorkPlace = Omit<Place, 'runId'>;

const PATIENCE_MS = 3_000;
/** A worker that is there takes a task in a fraction of this. */
const SECOND_LOOK_MS = 1_000;

/** Says once that nobody works where something waits to be done, if so; returns what takes that back. */
export function warnWithoutWorker(
  context: Pick<CliContext, 'client' | 'notify'>,
  place: () => Promise<WorkPlace>,
): () => void {
  let timer: NodeJS.Timeout;
  let seen: string | undefined;
  let stopped = false;
  const look = async () => {
    const { open, taskQueue, untaken } = await place();
    if (!open || stopped) return;
    const listed = await pollers(context.client.temporal, taskQueue);
    if (stopped) return;
    const start = `start one with ${serving('worker', taskQueue)}.`;
    if (listed.every(isGone)) {
      return context.notify(`No worker polls task queue ${taskQueue}: ${start}`);
    }
    // Temporal lists workers for minutes after their end.
    if (untaken !== undefined && untaken === seen) {
      return context.notify(
        `No worker has taken what waits on task queue ${taskQueue}, though the server lists ${listed.join(', ')}: where that has ended, ${start}`,
      );
    }
    seen = untaken;
    again(untaken === undefined ? PATIENCE_MS : SECOND_LOOK_MS);
  };
  const again = (ms: number) => {
    if (stopped) return;
    timer = setTimeout(() => void look().catch(() => again(PATIENCE_MS)), ms);
    timer.unref();
  };
  again(PATIENCE_MS - SECOND_LOOK_MS);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/** A process of this machine that is no more, by the identity that the SDK or Reloop gave it. */
function isGone(identity: string): boolean {
  const [, pid, host] = /(?:^|\s)(\d+)@(\S+)/u.exec(identity) ?? [];
  if (pid === undefined || host !== hostname()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
