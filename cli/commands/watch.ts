import { type Printed, finish } from '../follow/finish.ts';
import { follow } from '../follow/follow.ts';
import { type Io, printJson } from '../io.ts';
import { type CommonOptions, flagsToRepeat } from '../options.ts';
import { sayPage, withPage } from '../web-ui.ts';
import { withRun } from '../with-run.ts';

export interface WatchOptions extends CommonOptions {
  wait: boolean;
  /** Each event as a line of JSON on stdout, in place of the answer. */
  events?: boolean;
}

/** `reloop watch`: a run from its beginning to its end, and a worker for it where nobody else is one. */
export async function watch(io: Io, id: string, options: WatchOptions): Promise<number> {
  return withRun(io, options, id, async ({ context, run, ours }) => {
    sayPage(io, context, id);
    const followed = await follow(io, context, run, {
      untilWaiting: !options.wait,
      onInterrupt: 'leave',
      flags: flagsToRepeat(options),
      onEvent: options.events === true ? (event) => printJson(io, event) : undefined,
    });
    return finish(io, withPage(context, run), followed, printed(options), ours);
  });
}

function printed({ events = false, json = false }: WatchOptions): Printed {
  if (events) return 'nothing';
  return json ? 'report' : 'answer';
}
