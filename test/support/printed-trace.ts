import pc from 'picocolors';
import type { RunEvent } from '../../agent/run/events.ts';
import { type TraceOptions, createTracePrinter } from '../../cli/print/trace/trace-printer.ts';

/** What the printer writes of these events. */
export function trace(events: RunEvent[], options: Partial<TraceOptions> = {}): string {
  let text = '';
  const printer = createTracePrinter({
    write: (more) => (text += more),
    colors: pc.createColors(false),
    width: () => 60,
    live: false,
    rows: 3,
    ...options,
  });
  for (const event of events) printer.print(event);
  printer.end();
  return text;
}

/** What a terminal shows after each piece that was taken back: the codes here are only "up n lines" and "clear below". */
export function screen(output: string): string[][] {
  const screens: string[][] = [];
  let lines: string[] = [];
  for (const [index, piece] of output.split(/\u{1b}\[(\d+)A\u{1b}\[0J/u).entries()) {
    if (index % 2 === 1) {
      lines = lines.slice(0, lines.length - Number(piece));
      continue;
    }
    lines = [...lines, ...piece.split('\n').slice(0, -1)];
    screens.push(lines);
  }
  return screens;
}
