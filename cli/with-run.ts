import { dirname } from 'node:path';
import type { AgentRun } from '../client/agent-run.ts';
import { placeOfRun } from '../client/place.ts';
import { type CliContext, type ContextOptions, needsWorker, openForRun, openTemporal } from './context.ts';
import { type WorkPlace, warnWithoutWorker } from './follow/no-worker.ts';
import type { Io } from './io.ts';
import type { CommonOptions } from './options.ts';

/** A run that a command is about. */
export interface OpenedRun {
  context: CliContext;
  run: AgentRun;
  /** This process has become its worker. */
  ours: boolean;
}

/** Opens Temporal, hands it over, and closes whatever was opened. */
export async function withTemporal<T>(
  io: Io,
  options: ContextOptions,
  use: (context: CliContext) => Promise<T>,
): Promise<T> {
  return closing(await openTemporal(io, options), use);
}

/** The same for a run that is there; only history is read. Throws RunNotFound. */
export async function withHistory<T>(
  io: Io,
  options: ContextOptions,
  id: string,
  use: (context: CliContext, run: AgentRun) => Promise<T>,
): Promise<T> {
  return closing(await openForRun(io, options, id), (context) => use(context, context.client.get(id)));
}

/** The same, and this process is the run's worker for as long as it takes, where nobody else stays to be one. */
export async function withRun<T>(
  io: Io,
  options: CommonOptions,
  id: string,
  use: (opened: OpenedRun) => Promise<T>,
): Promise<T> {
  return withHistory(io, options, id, async (context, run) => {
    const place = await placeOfRun(context.client.temporal, id);
    if (place.open) await untilItsCodeIsSaved(context);
    const ours = await serve(context, place, options);
    return use({ context, run, ours });
  });
}

/** Starts a worker for a place that is open, where one has to be started here; says whether it did. */
export async function serve(
  context: CliContext,
  place: WorkPlace,
  { config }: CommonOptions,
): Promise<boolean> {
  const { open, taskQueue } = place;
  if (!open || !(await needsWorker(context, taskQueue))) return false;
  const { loadConfigOf } = await import('./command-config.ts');
  await context.startWorker(await loadConfigOf(taskQueue, config), 'run', [taskQueue]);
  return true;
}

/** A worker beside this command is to work with what has just been saved: a tool was mended, and its call is retried. */
export async function untilItsCodeIsSaved({ embedded, notify }: CliContext): Promise<void> {
  if (embedded === undefined) return;
  const { untilDevIsUpToDate } = await import('./dev/loaded-files.ts');
  await untilDevIsUpToDate(notify, dirname(embedded.dbFile));
}

/** Waits for what only a worker can do: says so where nobody polls, and gives up when the worker is ours and ends. */
export async function attended<T>(
  context: CliContext,
  place: () => Promise<WorkPlace>,
  act: () => Promise<T>,
): Promise<T> {
  const stopWarning = warnWithoutWorker(context, place);
  try {
    return await Promise.race([act(), context.workerFailed]);
  } finally {
    stopWarning();
  }
}

async function closing<T>(context: CliContext, use: (context: CliContext) => Promise<T>): Promise<T> {
  try {
    return await use(context);
  } finally {
    await context.close();
  }
}
