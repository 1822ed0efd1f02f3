import pc from 'picocolors';
import stringWidth from 'string-width';
import { isAnsiTerminal } from './on-terminal.ts';

export type Colors = ReturnType<typeof pc.createColors>;

export function colorsFor(...terminal: Parameters<typeof isAnsiTerminal>): Colors {
  const [, env] = terminal;
  const forced = env['FORCE_COLOR'];
  if (env['NO_COLOR']) return pc.createColors(false);
  if (forced !== undefined && forced !== '') return pc.createColors(forced !== '0');
  return pc.createColors(isAnsiTerminal(...terminal));
}

/** Characters that each take one cell. */
export const PLAIN = /^[ -~…]*$/u;
/** Characters of a line that are measured at once. */
const PIECE = 1000;

/** The start of a line that fits into so many terminal cells, ending in … where it was cut. */
export function fit(line: string, cells: number): string {
  const { text, rest } = splitAt(line, cells);
  return rest === '' ? text : `${splitAt(line, Math.max(0, cells - 1)).text}…`;
}

export function padTo(text: string, cells: number): string {
  return text + ' '.repeat(Math.max(0, cells - stringWidth(text)));
}

/**
 * Columns side by side, two blanks apart; on a terminal, a row that is too wide loses the end of its last column.
 * `paint` is given each cell of the columns before that one.
 */
export function table(
  rows: string[][],
  width = Infinity,
  paint: (cell: string, column: number) => string = (cell) => cell,
): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => stringWidth(row[column] ?? ''))),
  );
  return rows.map((row) => {
    const cells = row.map((cell, column) =>
      column === row.length - 1 ? cell : padTo(cell, widths[column] ?? 0),
    );
    const room = width - stringWidth(cells.slice(0, -1).join('  ')) - 2;
    if (room < 1) return fit(cells.join('  '), width).trimEnd();
    const painted = cells.slice(0, -1).map(paint);
    return [...painted, fit(cells.at(-1) ?? '', room)].join('  ').trimEnd();
  });
}

/** The first rows of a text on a terminal of that width, and how many characters are left out. */
export function firstRows(text: string, rows: number, width: number): { text: string; cut: number } {
  if (rows === Infinity) return { text, cut: 0 };
  const kept: string[] = [];
  let used = 0;
  let length = 0;
  for (const line of text.split('\n')) {
    const part = splitAt(line, (rows - used) * width);
    kept.push(part.text);
    length += part.text.length;
    used += Math.max(1, Math.ceil(part.cells / width));
    if (part.rest !== '' || (used >= rows && length < text.length)) break;
    length++;
  }
  return { text: kept.join('\n'), cut: Math.max(0, text.length - length) };
}

/** The last rows of a text as it would be wrapped at that width. */
export function lastRows(text: string, rows: number, width: number): string[] {
  // A row holds only a few characters a cell: text further back cannot be visible.
  const wrapped = text
    .slice(-rows * width * 4)
    .replaceAll('\t', '  ')
    .split('\n')
    .flatMap((line) => wrap(line, width));
  return wrapped.slice(-rows);
}

/** Name of the zone of {@link localTime}: `Europe/Berlin`. */
export function localZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** 2026-03-01 14:05:09, in local time. */
export function localTime(date: Date): string {
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19).replace('T', ' ');
}

function wrap(line: string, width: number): string[] {
  const rows: string[] = [];
  for (let left = line; ;) {
    const { text, rest } = splitAt(left, width);
    rows.push(text);
    if (rest === '' || text === '') return rows;
    left = rest;
  }
}

/** No character as people see it takes more of a text; what does is cut in two. */
const LONGEST_CHARACTER = 64;

/** Cut between characters as people see them; a wide one that does not fit goes to the rest. */
export function splitAt(line: string, cells: number): { text: string; rest: string; cells: number } {
  if (PLAIN.test(line)) {
    const text = line.slice(0, Math.max(0, Math.floor(cells)));
    return { text, rest: line.slice(text.length), cells: text.length };
  }
  // Node takes 12 ms to make the first one.
  const segmenter = new Intl.Segmenter();
  let used = 0;
  let end = 0;
  // Piece by piece: the segmenter takes time with all that it is given, and a line can have megabytes.
  for (let from = 0; from < line.length; from = end) {
    const piece = line.slice(from, from + PIECE + LONGEST_CHARACTER);
    for (const { segment, index } of segmenter.segment(piece)) {
      if (index >= PIECE) break;
      const next = used + stringWidth(segment);
      if (next > cells) {
        return { text: line.slice(0, from + index), rest: line.slice(from + index), cells: used };
      }
      used = next;
      end = from + index + segment.length;
    }
  }
  return { text: line, rest: '', cells: used };
}
