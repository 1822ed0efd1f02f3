import { type Printed, followToEnd } from '../follow/finish.ts';
import { type Io, printJson } from '../shell/io.ts';
import type { CommonOptions } from '../options/options.ts';
import { sayPage } from '../connection/web-ui.ts';
import { withRun } from '../connection/command-worker.ts';

interface WatchOptions extends CommonOptions {
  wait: boolean;
  /** Each event as a line of JSON on stdout, in place of the answer. */
  events?: boolean;
}

/** `reloop watch`: shows a run from its start to its end, and becomes its worker if it has none. */
export async function watch(io: Io, id: string, options: WatchOptions): Promise<number> {
  return withRun(io, options, id, async (opened) => {
    sayPage(io, opened.context, id);
    return followToEnd(io, opened, options, {
      untilWaiting: !options.wait,
      onInterrupt: 'leave',
      onEvent: options.events === true ? (event) => printJson(io, event) : undefined,
      printed: printed(options),
    });
  });
}

function printed({ events = false, json = false }: WatchOptions): Printed {
  if (events) return 'nothing';
  return json ? 'report' : 'answer';
}
