import type { LoadedConfig } from '../config/loaded-config.ts';
import type { WorkerRole } from '../worker/run-worker.ts';
import { exitCodes } from './exit-codes.ts';
import { type Io, say } from './io.ts';
import type { CliContext } from './context.ts';
import { ENDING, untilSignal } from './signals.ts';
import type { CommandConfig } from './task-queue.ts';

/** Runs a worker until a signal ends it; `ready` is told when it polls. */
export async function serveUntilSignal(
  io: Io,
  context: CliContext,
  config: CommandConfig,
  { role, taskQueues, ready }: { role: WorkerRole; taskQueues: readonly string[]; ready(): void },
): Promise<number> {
  checkAgents(io, config.loaded);
  const { signal, stop } = untilSignal(io);
  try {
    await context.startWorker(config, role, taskQueues);
    ready();
    await Promise.race([signal, context.workerFailed]);
    say(io, ENDING);
    return exitCodes.answered;
  } finally {
    stop();
  }
}

/** Says which agents cannot run here. */
export function checkAgents(io: Io, loaded: LoadedConfig): void {
  for (const name of loaded.agents.keys()) {
    const problem = loaded.validate(name);
    if (problem !== undefined) say(io, `warning: agent "${name}": ${problem}`);
  }
}
