import { aFewAtATime } from '../../client/concurrent.ts';
import type { CliContext } from '../context.ts';
import { follow } from '../follow/follow.ts';
import { type Io, say } from '../io.ts';
import { type CommonOptions, flagsToRepeat } from '../options.ts';
import { count } from '../print/display.ts';
import { AT_ONCE, type Target } from './targets.ts';

export interface StayOptions extends CommonOptions {
  /** A run that waits for a person again has come as far as it does. */
  untilWaiting: boolean;
}

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
  const runs = [...new Map(decided.map((target) => [target.run.id, target])).values()];
  if (runs.length === 0) return undefined;
  say(
    io,
    `This command is the worker of ${count(runs.length, 'run')}: it stays until they have ended or wait.`,
  );
  const ends = new Set<(signal: 'SIGINT' | 'SIGTERM') => void>();
  let signal: 'SIGINT' | 'SIGTERM' | undefined;
  const forgetSignals = io.onSignal((caught) => {
    signal = caught;
    for (const end of ends) end(caught);
  });
  const quiet: Io = {
    ...io,
    stderr: { write: () => true },
    onSignal(handler) {
      ends.add(handler);
      return () => void ends.delete(handler);
    },
  };
  try {
    await aFewAtATime(runs, AT_ONCE, async ({ run, waiting }) => {
      if (signal !== undefined) return;
      await follow(quiet, { ...context, notify: () => undefined }, context.client.get(run.id), {
        untilWaiting,
        onInterrupt: 'leave',
        flags: flagsToRepeat(options),
        decided: waiting === undefined ? undefined : { call: waiting.call, n: waiting.n },
      });
    });
  } finally {
    forgetSignals();
  }
  if (signal !== undefined) say(io, 'The runs stand still until there is a worker again: `reloop dev`.');
  return signal;
}
