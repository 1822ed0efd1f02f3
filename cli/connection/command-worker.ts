import { dirname } from 'node:path';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { cliName } from '../../client/connect/cli-name.ts';
import { type Poller, hasVersion, isGone, pollers, pollersOf } from '../../client/connect/task-queue.ts';
import { type RunLocation, locationOfRun } from '../../client/read/run-location.ts';
import { isResidentWorker } from '../../worker/worker-identity.ts';
import type { CommonOptions } from '../options/options.ts';
import type { Io } from '../shell/io.ts';
import { type CliContext, withHistory } from './context.ts';
import { serving } from './task-queue.ts';

/** A run that a command is about. */
export interface OpenedRun {
  context: CliContext;
  run: AgentRun;
  /** This process has become its worker. */
  ours: boolean;
}

/** Opens a run, and makes this process its worker for as long as `use` takes, if no resident worker serves it. */
export async function withRun<T>(
  io: Io,
  options: CommonOptions,
  id: string,
  use: (opened: OpenedRun) => Promise<T>,
): Promise<T> {
  return withHistory(io, options, id, async (context, run) => use(await workFor(context, run, options)));
}

/** Makes this process the worker of an opened run, if no resident worker serves it. */
export async function workFor(
  context: CliContext,
  run: AgentRun,
  options: CommonOptions,
): Promise<OpenedRun> {
  const place = await locationOfRun(context.client.temporal, run.id);
  if (place.open) await untilItsCodeIsSaved(context);
  const ours = await serve(context, place, options);
  return { context, run, ours };
}

/** Starts a worker for a place that is open, where one has to be started here; says whether it did. */
export async function serve(
  context: CliContext,
  place: WorkerLocation,
  { config }: CommonOptions,
): Promise<boolean> {
  const { open, taskQueue } = place;
  if (!open || !(await needsWorker(context, taskQueue))) return false;
  const { loadConfigOf } = await import('./command-config.ts');
  await context.startWorker(await loadConfigOf(taskQueue, config), 'run', [taskQueue]);
  return true;
}

/** Waits until a worker beside this command has loaded the saved files: a tool was fixed, and its call is retried. */
export async function untilItsCodeIsSaved({ embedded, notify }: CliContext): Promise<void> {
  if (embedded === undefined) return;
  const { untilDevIsUpToDate } = await import('./loaded-files.ts');
  await untilDevIsUpToDate(notify, dirname(embedded.dbFile));
}

/**
 * Waits for a result that needs a worker: notes if no worker polls, and gives up when this process's own worker ends.
 */
export async function attended<T>(
  context: CliContext,
  place: () => Promise<WorkerLocation>,
  act: () => Promise<T>,
): Promise<T> {
  const stopWarning = warnWithoutWorker(context, place);
  try {
    return await Promise.race([act(), context.workerFailed]);
  } finally {
    stopWarning();
  }
}

/**
 * True if this command has to start a worker: not if the user named a server, nor beside a `dev` or `worker` that
 * stays.
 */
export async function needsWorker({ client, embedded }: CliContext, taskQueue: string): Promise<boolean> {
  return embedded !== undefined && !(await pollers(client.temporal, taskQueue)).some(isResidentWorker);
}

/** True if no worker polls the queue, or only one that does not stay: then only this process can ask the models. */
export async function nobodyWorks(context: CliContext, taskQueue: string): Promise<boolean> {
  if (context.embedded !== undefined) return needsWorker(context, taskQueue);
  return (await pollers(context.client.temporal, taskQueue)).length === 0;
}

/** Location of a run or session that needs a worker; `untaken` shows a task that no worker has taken. */
export type WorkerLocation = Omit<RunLocation, 'runId' | 'ownership' | 'agent'>;

const PATIENCE_MS = 3_000;
/** A worker that is there takes a task in a fraction of this. */
const SECOND_LOOK_MS = 1_000;

/** Warns once if work waits on a queue without a worker; returns the function that stops the check. */
export function warnWithoutWorker(
  context: Pick<CliContext, 'client' | 'notify'>,
  place: () => Promise<WorkerLocation>,
): () => void {
  let timer: NodeJS.Timeout;
  let seen: string | undefined;
  let stopped = false;
  const look = async () => {
    const { open, taskQueue, untaken, version } = await place();
    if (!open || stopped) return;
    const polling = await pollersOf(context.client.temporal, taskQueue);
    if (stopped) return;
    const listed = polling.map(({ identity }) => identity);
    const start = `start one with ${serving('worker', taskQueue)}.`;
    const isServed = (poller: Poller) =>
      !isGone(poller.identity) && (version === undefined || hasVersion(poller, version));
    if (version !== undefined && !polling.some(isServed)) {
      const own = version.version;
      return context.notify(
        `No worker of version ${own} polls task queue ${taskQueue}, and the run stays on that version: start one with RELOOP_VERSION=${own}, or move the runs of the version with \`${cliName()} deploy drain ${own} --move\`.`,
      );
    }
    if (listed.every(isGone)) {
      return context.notify(`No worker polls task queue ${taskQueue}: ${start}`);
    }
    // Temporal lists workers for minutes after their end.
    if (untaken !== undefined && untaken === seen) {
      const versions = polling.map(({ deployment }) => deployment?.version);
      if (version === undefined && !versions.includes(undefined)) {
        return context.notify(
          `No worker has taken what waits on task queue ${taskQueue}: its workers have versions (${[...new Set(versions)].join(', ')}), and a worker takes new runs when its version is promoted: \`${cliName()} deploy promote VERSION\`.`,
        );
      }
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
