import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { inspect } from 'node:util';
import stringWidth from 'string-width';
import { type CodePlace, placeOf, reasonOf } from '../../config/load/error-place.ts';
import { failureOf } from '../shell/io.ts';
import { oneLine } from '../../features/render/words/amounts.ts';
import { fit } from '../shell/display.ts';
import { sanitizeForTerminal } from '../../agent/text/sanitize.ts';

/**
 * Lines of a command for an error: the message; the place in the user's own code, with the lines around it; the causes;
 * with `debug` the whole stack, causes included.
 */
export function errorLines(
  error: unknown,
  { debug = false }: { debug?: boolean | undefined } = {},
): string[] {
  const { line } = failureOf(error);
  if (debug) return [line, sanitizeForTerminal(inspect(error, { depth: 6 }))];
  const chain = causesOf(error);
  const at = chain.findIndex((one) => placeOf(one) !== undefined);
  const place = placeOf(chain[at]);
  if (place === undefined) return [line];
  return [line, ...codeFrame(place), ...chain.slice(at + 1).map(causeLine)];
}

const MOST_CAUSES = 5;

/** The error itself first. */
function causesOf(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let one = error; one !== undefined && chain.length < MOST_CAUSES;) {
    chain.push(one);
    one = one instanceof Error ? one.cause : undefined;
  }
  return chain;
}

function causeLine(error: unknown): string {
  const place = placeOf(error);
  return `  caused by: ${oneLine(reasonOf(error))}${place === undefined ? '' : ` (${nameOf(place)})`}`;
}

/** `tools/prices.ts:8:12`, seen from where the command was typed. */
function nameOf({ file, line, column }: CodePlace): string {
  const path = relative(process.cwd(), file);
  return [path, line, ...(column === undefined ? [] : [column])].join(':');
}

const LINES_AROUND = 2;
const WIDEST = 120;

/** A place, and the lines there with a mark below the column. */
function codeFrame(place: CodePlace): string[] {
  const lines = sourceLines(place.file);
  const first = Math.max(1, place.line - LINES_AROUND);
  const last = Math.min(lines.length, place.line + LINES_AROUND);
  const digits = String(last).length;
  const framed: string[] = [];
  for (let number = first; number <= last; number++) {
    const text = sanitizeForTerminal((lines[number - 1] ?? '').replaceAll('\t', ' '));
    const isIt = number === place.line;
    framed.push(`  ${isIt ? '>' : ' '} ${String(number).padStart(digits)} | ${fit(text, WIDEST)}`.trimEnd());
    const before = stringWidth(text.slice(0, (place.column ?? 0) - 1));
    if (isIt && place.column !== undefined && before < WIDEST) {
      framed.push(`    ${' '.repeat(digits)} | ${' '.repeat(before)}^`);
    }
  }
  return [`  ${nameOf(place)}`, ...framed];
}

/** Lines of a source file; empty if the file is gone. */
function sourceLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').trimEnd().split(/\r?\n/u);
  } catch {
    return [];
  }
}
