import type { LoadedConfig } from '../config/loaded-config.ts';
import type { WorkerRole } from '../worker/run-worker.ts';
import { exitCodes } from './exit-codes.ts';
import { type Io, say } from './io.ts';
import type { TemporalSession } from './context.ts';

/** Runs a worker until a signal ends it; `ready` is told when it polls. */
export async function serveUntilSignal(
  io: Io,
  session: TemporalSession,
  catalog: LoadedConfig,
  { role, taskQueue, ready }: { role: WorkerRole; taskQueue: string; ready(): void },
): Promise<number> {
  for (const name of catalog.agents.keys()) {
    const problem = catalog.validate(name);
    if (problem !== undefined) say(io, `warning: agent "${name}": ${problem}`);
  }
  let end: (signal: string) => void = () => undefined;
  const signal = new Promise<string>((resolve) => (end = resolve));
  const stop = io.onSignal(end);
  try {
    await session.startWorker(catalog, role, taskQueue);
    ready();
    await Promise.race([signal, session.workerFailed]);
    say(io, 'Ending: work under way gets a few seconds; again to end at once.');
    return exitCodes.answered;
  } finally {
    stop();
  }
}
