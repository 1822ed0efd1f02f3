import { type Io, columnsOf, say } from '../shell/io.ts';
import { isAnsiTerminal } from '../shell/on-terminal.ts';
import { oneLine } from '../../features/render/words/amounts.ts';
import { fit } from '../shell/display.ts';

/** The progress of a command: on a terminal one line that changes, elsewhere a line for each text. */
export interface ProgressLine {
  /** The line changes in place. */
  isLive: boolean;
  /** `3 of 10`; or `Starting Temporal …`, to which the seconds are added. */
  show(text: string): void;
  /** A line that stays. */
  note(text: string): void;
  /** Removes the line. */
  end(): void;
}

const REDRAW_MS = 100;
/** A shorter wait has no clock. */
const CLOCK_MS = 1_000;

export function createProgressLine(io: Io): ProgressLine {
  const { stderr, env } = io;
  const isLive = isAnsiTerminal(stderr, env);
  const region = createLiveRegion((text) => stderr.write(text));
  let shown = '';
  let since = 0;
  let timer: NodeJS.Timeout | undefined;

  function draw(): void {
    const ms = Date.now() - since;
    const clock = ms < CLOCK_MS || !hasClock(shown) ? '' : ` ${(ms / 1000).toFixed(1)} s`;
    region.show([fit(oneLine(shown) + clock, columnsOf(stderr) - 1)]);
  }

  function end(): void {
    clearInterval(timer);
    timer = undefined;
    region.clear();
    shown = '';
  }

  return {
    isLive,
    show(text) {
      if (text === shown) return;
      since = Date.now();
      shown = text;
      if (!isLive) return say(io, text);
      if (hasClock(text)) timer ??= setInterval(draw, REDRAW_MS);
      draw();
    },
    note(text) {
      region.clear();
      say(io, text);
      if (isLive && shown !== '') draw();
    },
    end,
  };
}

function hasClock(text: string): boolean {
  return text.endsWith('…');
}

/** The lines at the end of a terminal that are rewritten in place: text under way, progress. */
export interface LiveRegion {
  show(lines: string[]): void;
  /** Removes the lines; called before anything that stays is written. */
  clear(): void;
}

/** Lines must be shorter than the terminal is wide: one that wraps could not be taken back. */
export function createLiveRegion(write: (text: string) => unknown): LiveRegion {
  let height = 0;
  const clear = () => {
    if (height > 0) write(`\u{1b}[${height}A\u{1b}[0J`);
    height = 0;
  };
  return {
    clear,
    show(lines) {
      clear();
      write(lines.map((line) => `${line}\n`).join(''));
      height = lines.length;
    },
  };
}
