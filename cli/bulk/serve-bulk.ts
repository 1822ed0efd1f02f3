import { setTimeout as sleep } from 'node:timers/promises';
import { callPath } from '../../agent/calls/call-path.ts';
import type { WaitingCall } from '../../agent/rules/waiting.ts';
import { aFewAtATime } from '../../agent/values/concurrent.ts';
import type { CliContext } from '../connection/context.ts';
import { follow } from '../follow/follow.ts';
import { type Io, say } from '../shell/io.ts';
import { type CommonOptions, flagsToRepeat } from '../options/options.ts';
import { count, oneLine } from '../../features/render/words/amounts.ts';
import { type Target, AT_ONCE } from './targets.ts';
import { cliName } from '../../client/connect/cli-name.ts';
import { type CommandConfig, serving } from '../connection/task-queue.ts';
import { needsWorker } from '../connection/command-worker.ts';

/** Time between two looks at a run whose sub-agent has not reported to it yet. */
const SUB_AGENT_MS = 250;

/**
 * Keeps this process, which is the worker of the runs, until each of them has ended or waits for a person again: no other
 * worker would continue them. Ctrl-C leaves them. Returns the signal that did, if one did. `untilWaiting`: a run that waits for a person
 * again has settled.
 */
export async function serveUntilSettled(
  io: Io,
  context: CliContext,
  decided: readonly Target[],
  { untilWaiting, ...options }: CommonOptions & { untilWaiting: boolean },
): Promise<'SIGINT' | 'SIGTERM' | undefined> {
  const seen = decidedByRun(decided);
  if (seen.size === 0) return undefined;
  say(
    io,
    `This command is the worker of ${count(seen.size, 'run')}: it stays until they have ended or wait.`,
  );
  const ends = new Set<(signal: 'SIGINT' | 'SIGTERM') => void>();
  const caught: { signal?: 'SIGINT' | 'SIGTERM' } = {};
  const forgetSignals = io.onSignal((signal) => {
    caught.signal = signal;
    for (const end of ends) end(signal);
  });
  const quiet: Io = {
    ...io,
    stderr: { write: () => true },
    onSignal(handler) {
      ends.add(handler);
      return () => void ends.delete(handler);
    },
  };
  /** Follows a run until it settles. True if the run does not know a sub-agent's decision yet. */
  const isOutdated = async (id: string, calls: readonly WaitingCall[]) => {
    const followed = await follow(quiet, { ...context, notify: () => undefined }, context.client.get(id), {
      untilWaiting,
      onInterrupt: 'leave',
      flags: flagsToRepeat(options),
    });
    if (followed.type !== 'waiting') return false;
    const { waiting } = followed.report;
    return waiting.some(({ call, n }) => calls.some((other) => other.call === call && other.n === n));
  };
  try {
    await aFewAtATime([...seen], AT_ONCE, async ([id, calls]) => {
      while (caught.signal === undefined && (await isOutdated(id, calls))) await sleep(SUB_AGENT_MS);
    });
  } finally {
    forgetSignals();
  }
  if (caught.signal !== undefined)
    say(io, `The runs stand still until there is a worker again: \`${cliName()} dev\`.`);
  return caught.signal;
}

/**
 * The topmost runs of the targets, each with its calls that were decided. A call of a sub-agent counts for the run above it,
 * which may not know yet that the call waited.
 */
export function decidedByRun(decided: readonly Target[]): Map<string, WaitingCall[]> {
  const byRun = new Map<string, WaitingCall[]>();
  for (const { run, waiting } of decided) {
    // The id of a sub-agent is its parent's, and the call that it is.
    const above =
      run.parent === undefined ? '' : (/(?:\/(?:\d+\/)?\d+\.\d+(?:~\d+)?)+$/u.exec(run.id)?.[0] ?? '');
    const id = run.id.slice(0, run.id.length - above.length);
    const calls = byRun.get(id) ?? [];
    if (waiting !== undefined) calls.push({ ...waiting, call: [...callPath(above), waiting.call].join('/') });
    byRun.set(id, calls);
  }
  return byRun;
}

/** The workers of the queues that decisions are sent to. */
export interface ServedQueues {
  /** Queues that this process serves. */
  ours: ReadonlySet<string>;
  /** Queues without a worker, and why this process does not serve them. */
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
): Promise<ServedQueues> {
  const unserved = new Map<string, string>();
  const ours = new Set<string>();
  let config: CommandConfig | undefined;
  for (const queue of queues) {
    if (!(await needsWorker(context, queue))) continue;
    try {
      const { loadConfigOf } = await import('../connection/command-config.ts');
      const needed = await loadConfigOf(queue, named);
      config ??= needed;
      if (needed.file === config.file) ours.add(queue);
      else unserved.set(queue, noWorker(queue));
    } catch (error) {
      unserved.set(queue, error instanceof Error ? oneLine(error.message) : noWorker(queue));
    }
  }
  if (config !== undefined) await context.startWorker(config, 'run', [...ours]);
  return { ours, unserved };
}

function noWorker(queue: string): string {
  return `No worker polls task queue ${queue}, and this command is the worker of another: run it again, or start ${serving('dev', queue)} first.`;
}
