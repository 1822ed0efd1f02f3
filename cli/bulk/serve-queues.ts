import { type CliContext, needsWorker } from '../context.ts';
import { loadConfigOf } from '../command-config.ts';
import { oneLine } from '../print/display.ts';
import type { CommonOptions } from '../options.ts';
import { serving } from '../task-queue.ts';

/** Who works on the queues that decisions are sent to. */
export interface Served {
  /** Queues that this process has become the worker of. */
  ours: ReadonlySet<string>;
  /** Queues that nobody works on, and why not this process. */
  unserved: ReadonlyMap<string, string>;
}

/**
 * Becomes the worker where one has to be started here, as a command on one run does. A process has the agents of one
 * config: queues of another one are left to a worker of theirs.
 */
export async function serveQueues(
  context: CliContext,
  queues: readonly string[],
  { config: named }: CommonOptions,
): Promise<Served> {
  const unserved = new Map<string, string>();
  const ours = new Set<string>();
  let config: Awaited<ReturnType<typeof loadConfigOf>> | undefined;
  for (const queue of queues) {
    if (!(await needsWorker(context, queue))) continue;
    try {
      const needed = await loadConfigOf(queue, named);
      config ??= needed;
      if (needed.file === config.file) ours.add(queue);
      else unserved.set(queue, nobody(queue));
    } catch (error) {
      unserved.set(queue, error instanceof Error ? oneLine(error.message) : nobody(queue));
    }
  }
  if (config !== undefined) await context.startWorker(config, 'run', [...ours]);
  return { ours, unserved };
}

function nobody(queue: string): string {
  return `Nobody works on task queue ${queue}, and this command is the worker of another: say it again, or start ${serving('dev', queue)} first.`;
}
