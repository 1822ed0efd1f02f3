import type { AgentRun } from '../../client/agent-run.ts';
import { finish } from '../follow/finish.ts';
import { follow } from '../follow/follow.ts';
import type { Io } from '../io.ts';
import { type CommonOptions, flagsToRepeat } from '../options.ts';
import { type TemporalSession, needsWorker, openForRun } from '../context.ts';

export interface WatchOptions extends CommonOptions {
  wait: boolean;
}

/** `reloop watch`: a run from its beginning to its end, and a worker for it where nobody else is one. */
export async function watch(io: Io, id: string, options: WatchOptions): Promise<number> {
  const session = await openForRun(io, options, id);
  try {
    const run = session.client.get(id);
    await serve(session, run, options);
    const followed = await follow(io, session, run, {
      untilWaiting: !options.wait,
      onInterrupt: 'leave',
      flags: flagsToRepeat(options),
    });
    return await finish(io, run, followed, options.json === true ? 'report' : 'answer');
  } finally {
    await session.close();
  }
}

/** Starts a worker for a run that is open, where one has to be started here; says whether it did. */
export async function serve(
  session: TemporalSession,
  run: AgentRun,
  { config }: CommonOptions,
): Promise<boolean> {
  const { open, taskQueue } = await run.info();
  if (!open || !(await needsWorker(session, taskQueue))) return false;
  const { loadConfig } = await import('../../config/load.ts');
  await session.startWorker(await loadConfig(config), 'run', taskQueue);
  return true;
}
