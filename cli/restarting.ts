import type { AgentRun } from '../client/agent-run.ts';
import { placeOfRun } from '../client/place.ts';
import type { RestartReceipt } from '../client/begin-again.ts';
import type { CliContext } from './context.ts';
import { UsageError, exitCodes } from './exit-codes.ts';
import { finish } from './follow/finish.ts';
import { follow } from './follow/follow.ts';
import { type Io, printJson, say } from './io.ts';
import { type CommonOptions, flagsToRepeat } from './options.ts';
import { shellWord } from './print/display.ts';
import { runPage, sayPage } from './web-ui.ts';
import { serve, untilItsCodeIsSaved, withHistory } from './with-run.ts';
import { reloop } from '../client/typed-command.ts';

/** What a command has started, and how it says so. */
export interface Restarted {
  receipt: RestartReceipt;
  line: string;
}

/**
 * Has a run begin again, and goes on as after any decision: where this process has to be the worker of what goes on it stays
 * to see what becomes of it; else it goes at once.
 */
export async function restarting(
  io: Io,
  id: string,
  options: CommonOptions,
  act: (run: AgentRun, context: CliContext) => Promise<Restarted>,
): Promise<number> {
  return withHistory(io, options, id, async (context, run) => {
    await untilItsCodeIsSaved(context);
    const { receipt, line } = await act(run, context);
    const { json = false } = options;
    say(io, line);
    sayPage(io, context, receipt.id);
    if (json) printJson(io, { ...receipt, url: runPage(context, receipt.id) });
    const next = context.client.get(receipt.id);
    const ours = await serve(context, await placeOfRun(context.client.temporal, next.id), options);
    if (!ours) return exitCodes.answered;
    const followed = await follow(io, context, next, {
      untilWaiting: true,
      onInterrupt: 'leave',
      flags: flagsToRepeat(options),
    });
    return finish(io, next, followed, json ? 'nothing' : 'answer', ours);
  });
}

/** A step as it is typed. A sub-agent's has the call in front that the sub-agent is: it is a step of another run. */
export function stepOf(verb: string, id: string, text: string): number {
  if (/^\d+$/u.test(text)) return Number(text);
  const path = text.split('/');
  const own = path.pop() ?? '';
  const below = [id, ...path].join('/');
  throw new UsageError(
    path.length > 0
      ? `${verb}: ${text} is a step of a sub-agent, which has a run of its own: ${reloop()} ${verb} ${shellWord(below)} with step ${own}.`
      : `${verb}: ${text} is no step. A step is a whole number: that of the model call, 3 for call 3.1.`,
  );
}
