import pc from 'picocolors';
import stringWidth from 'string-width';
import type { Output } from '../io.ts';

export type Colors = ReturnType<typeof pc.createColors>;

export function colorsFor(output: Output, env: { [name: string]: string | undefined }): Colors {
  const forced = env['FORCE_COLOR'];
  if (env['NO_COLOR']) return pc.createColors(false);
  if (forced !== undefined && forced !== '') return pc.createColors(forced !== '0');
  return pc.createColors(output.isTTY === true && env['TERM'] !== 'dumb');
}

const segmenter = new Intl.Segmenter();
/** Terminal codes in a reply or an observation must not reach the terminal; line breaks and tabs may. */
const control = /[\0-\x08\x0b-\x1f\x7f-\x9f]/gu;

/** Text of others, safe to be shown on a terminal. */
export function harmless(text: string): string {
  return text.replace(/\r\n/gu, '\n').replace(control, '\u{fffd}');
}

export function oneLine(text: string): string {
  return harmless(text).replace(/\s+/gu, ' ').trim();
}

/** As much of one line as fits into so many terminal cells, ending in … where it was cut. */
export function fit(line: string, cells: number): string {
  const { text, rest } = splitAt(line, cells);
  return rest === '' ? text : `${splitAt(line, Math.max(0, cells - 1)).text}…`;
}

export function padTo(text: string, cells: number): string {
  return text + ' '.repeat(Math.max(0, cells - stringWidth(text)));
}

/** Columns side by side, two blanks apart; what is too wide loses the end of its last column. */
export function table(rows: string[][], width: number): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => stringWidth(row[column] ?? ''))),
  );
  return rows.map((row) => {
    const cells = row.map((cell, column) =>
      column === row.length - 1 ? cell : padTo(cell, widths[column] ?? 0),
    );
    return fit(cells.join('  '), width).trimEnd();
  });
}

/** The first rows of a text on a terminal of that width, and how many characters are left out. */
export function firstRows(text: string, rows: number, width: number): { text: string; cut: number } {
  const kept: string[] = [];
  let used = 0;
  let length = 0;
  for (const line of text.split('\n')) {
    const part = splitAt(line, (rows - used) * width);
    kept.push(part.text);
    length += part.text.length;
    used += Math.max(1, Math.ceil(stringWidth(part.text) / width));
    if (part.rest !== '' || (used >= rows && length < text.length)) break;
    length++;
  }
  return { text: kept.join('\n'), cut: Math.max(0, text.length - length) };
}

/** The last rows of a text as it would be wrapped at that width. */
export function lastRows(text: string, rows: number, width: number): string[] {
  // No row holds more than a few characters a cell: what lies further back cannot show.
  const wrapped = text
    .slice(-rows * width * 4)
    .replaceAll('\t', '  ')
    .split('\n')
    .flatMap((line) => wrap(line, width));
  return wrapped.slice(-rows);
}

export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const rest = seconds % 60;
  return `${Math.floor(seconds / 60)} min${rest === 0 ? '' : ` ${rest} s`}`;
}

/** 2026-03-01 14:05:09, in local time. */
export function localTime(date: Date): string {
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19).replace('T', ' ');
}

export function count(amount: number, thing: string): string {
  return `${amount.toLocaleString('en-US')} ${thing}${amount === 1 ? '' : 's'}`;
}

/** A word as a shell takes it. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/u.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
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

/** Cut between characters as people see them; a wide one that does not fit goes to the rest. */
function splitAt(line: string, cells: number): { text: string; rest: string } {
  if (line.length <= cells / 2) return { text: line, rest: '' };
  let used = 0;
  for (const { segment, index } of segmenter.segment(line)) {
    used += stringWidth(segment);
    if (used > cells) return { text: line.slice(0, index), rest: line.slice(index) };
  }
  return { text: line, rest: '' };
}
