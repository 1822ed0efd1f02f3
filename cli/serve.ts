import type { WorkerRole } from '../worker/run-worker.ts';
import { exitCodes } from './exit-codes.ts';
import { type Io, say } from './io.ts';
import type { CliContext } from './context.ts';
import type { CommandConfig } from './task-queue.ts';

/** Runs a worker until a signal ends it; `ready` is told when it polls. */
export async function serveUntilSignal(
  io: Io,
  context: CliContext,
  config: CommandConfig,
  { role, taskQueues, ready }: { role: WorkerRole; taskQueues: readonly string[]; ready(): void },
): Promise<number> {
  const { loaded } = config;
  for (const name of loaded.agents.keys()) {
    const problem = loaded.validate(name);
    if (problem !== undefined) say(io, `warning: agent "${name}": ${problem}`);
  }
  let end: (signal: string) => void = () => undefined;
  const signal = new Promise<string>((resolve) => (end = resolve));
  const stop = io.onSignal(end);
  try {
    await context.startWorker(config, role, taskQueues);
    ready();
    await Promise.race([signal, context.workerFailed]);
    say(io, 'Ending: work under way gets a few seconds; again to end at once.');
    return exitCodes.answered;
  } finally {
    stop();
  }
}
