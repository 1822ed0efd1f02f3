import { pollers } from '../../client/task-queue.ts';
import type { CliContext } from '../context.ts';
import { serving } from '../task-queue.ts';

const PATIENCE_MS = 3000;

/** Says once that nobody works where something waits to be done, if so; returns what takes that back. */
export function warnWithoutWorker(
  context: Pick<CliContext, 'client' | 'notify'>,
  place: () => Promise<{ taskQueue: string; open: boolean }>,
): () => void {
  const check = async () => {
    const { open, taskQueue } = await place();
    if (!open || (await pollers(context.client.temporal, taskQueue)).length > 0) return;
    context.notify(
      `No worker polls task queue ${taskQueue}: start one with ${serving('worker', taskQueue)}.`,
    );
  };
  const timer = setTimeout(() => void check().catch(() => undefined), PATIENCE_MS);
  return () => clearTimeout(timer);
}
