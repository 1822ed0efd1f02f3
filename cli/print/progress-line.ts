import { type Io, say } from '../io.ts';
import { fit } from './display.ts';
import { createLiveRegion } from './live-region.ts';

/** What a command is doing while that takes time: on a terminal one line that changes, elsewhere a line for each thing. */
export interface ProgressLine {
  /** `Starting Temporal …`; the seconds are added. */
  show(text: string): void;
  /** A line that stays. */
  note(text: string): void;
  /** Nothing takes time any more; the line goes. */
  end(): void;
}

const REDRAW_MS = 100;
/** Of a terminal that does not know, or says 0. */
const COLUMNS = 80;
/** What is over sooner has no need of a clock. */
const CLOCK_MS = 1_000;

export function createProgressLine(io: Io): ProgressLine {
  const { stderr, env } = io;
  const isLive = stderr.isTTY === true && env['TERM'] !== 'dumb';
  const region = createLiveRegion((text) => stderr.write(text));
  let shown = '';
  let since = 0;
  let timer: NodeJS.Timeout | undefined;

  function draw(): void {
    const ms = Date.now() - since;
    const clock = ms < CLOCK_MS || !shown.endsWith('…') ? '' : ` ${(ms / 1000).toFixed(1)} s`;
    region.show([fit(shown + clock, (stderr.columns || COLUMNS) - 1)]);
  }

  function end(): void {
    clearInterval(timer);
    timer = undefined;
    region.clear();
    shown = '';
  }

  return {
    show(text) {
      if (text === shown) return;
      since = Date.now();
      shown = text;
      if (!isLive) return say(io, text);
      timer ??= setInterval(draw, REDRAW_MS);
      draw();
    },
    note(text) {
      region.clear();
      say(io, text);
      if (timer !== undefined) draw();
    },
    end,
  };
}
