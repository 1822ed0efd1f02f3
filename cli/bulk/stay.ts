import { setTimeout as sleep } from 'node:timers/promises';
import { callPath } from '../../agent/calls.ts';
import type { WaitingCall } from '../../agent/events.ts';
import { aFewAtATime } from '../../agent/concurrent.ts';
import type { CliContext } from '../context.ts';
import { follow } from '../follow/follow.ts';
import { type Io, say } from '../io.ts';
import { type CommonOptions, flagsToRepeat } from '../options.ts';
import { count } from '../print/display.ts';
import { AT_ONCE, type Target } from './targets.ts';
import { reloop } from '../../client/typed-command.ts';

export interface StayOptions extends CommonOptions {
  /** A run that waits for a person again has come as far as it does. */
  untilWaiting: boolean;
}

/** Until a run is looked at again that has not heard of its sub-agent yet. */
const SUB_AGENT_MS = 250;

/**
 * Where this process is the worker of the runs, it stays until they have ended or wait for a person again: nobody else
 * would go on with them. Ctrl-C leaves them. Returns the signal that did, if one did.
 */
export async function stayFor(
  io: Io,
  context: CliContext,
  decided: readonly Target[],
  { untilWaiting, ...options }: StayOptions,
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
  /** Follows a run as far as it goes; says whether it has not heard yet of what was decided in a sub-agent. */
  const isBehind = async (id: string, calls: readonly WaitingCall[]) => {
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
      while (caught.signal === undefined && (await isBehind(id, calls))) await sleep(SUB_AGENT_MS);
    });
  } finally {
    forgetSignals();
  }
  if (caught.signal !== undefined)
    say(io, `The runs stand still until there is a worker again: \`${reloop()} dev\`.`);
  return caught.signal;
}

/**
 * The runs that somebody asked for, and the calls in them that were decided: a sub-agent's end is of use to its parent,
 * which may not even have heard that it waited.
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
