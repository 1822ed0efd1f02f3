import { finish } from '../follow/finish.ts';
import { follow } from '../follow/follow.ts';
import type { Io } from '../io.ts';
import { type CommonOptions, flagsToRepeat } from '../options.ts';
import { sayPage, withPage } from '../web-ui.ts';
import { withRun } from '../with-run.ts';

export interface WatchOptions extends CommonOptions {
  wait: boolean;
}

/** `reloop watch`: a run from its beginning to its end, and a worker for it where nobody else is one. */
export async function watch(io: Io, id: string, options: WatchOptions): Promise<number> {
  return withRun(io, options, id, async ({ context, run, ours }) => {
    sayPage(io, context, id);
    const followed = await follow(io, context, run, {
      untilWaiting: !options.wait,
      onInterrupt: 'leave',
      flags: flagsToRepeat(options),
    });
    return finish(io, withPage(context, run), followed, options.json === true ? 'report' : 'answer', ours);
  });
}
