/** A command that stands in a page, and what the page says it prints. */
export interface Transcript {
  /** Without the `$`. */
  command: string;
  output: string;
  /** Of the command in the page, from 1. */
  line: number;
}

const FENCE = '```';
const OPENING = `${FENCE}console`;
const PROMPT = '$ ';

/** The commands of a page's `console` blocks, in order. */
export function transcriptsIn(page: string): Transcript[] {
  const found: { command: string; output: string[]; line: number }[] = [];
  let inside = false;
  for (const [index, text] of page.split('\n').entries()) {
    if (text.startsWith(FENCE)) inside = text === OPENING;
    else if (inside && text.startsWith(PROMPT)) {
      found.push({ command: text.slice(PROMPT.length), output: [], line: index + 1 });
    } else if (inside) found.at(-1)?.output.push(text);
  }
  return found.map(({ output, ...rest }) => ({ ...rest, output: trimmed(output.join('\n')) }));
}

/** The page with these outputs in place of its own. */
export function withOutputs(page: string, outputs: ReadonlyMap<number, string>): string {
  const lines: string[] = [];
  let inside = false;
  let written = false;
  for (const [index, text] of page.split('\n').entries()) {
    if (text.startsWith(FENCE)) {
      inside = text === OPENING;
      written = false;
    }
    const output = outputs.get(index + 1);
    if (inside && text.startsWith(PROMPT)) {
      if (written && lines.at(-1) !== '') lines.push('');
      written = output !== undefined;
      lines.push(text, ...(output === undefined || output === '' ? [] : output.split('\n')));
    } else if (!inside || !written || text === OPENING) lines.push(text);
  }
  return lines.join('\n');
}

/** What differs by nature from one run of a page to the next, or with every word of a prompt; all else is wording. */
const VOLATILE: readonly [RegExp, string][] = [
  [/\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?Z?/gu, '<time>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gu, '<run-id>'],
  [/\bversion \d+\.\d+\.\d+/gu, 'version <version>'],
  [/\b127\.0\.0\.1:\d+/gu, '<address>'],
  [/\b(?:\d+ h )?(?:\d+ min )?\d+(?:\.\d+)? (?:ms|s|min|h)\b/gu, '<duration>'],
  [/\b(?:[\d,]+ \+ )?[\d,]+ tokens?\b/gu, '<tokens>'],
  [/<?\$\d+(?:\.\d+)?/gu, '<cost>'],
  [/\b[\d,]+ events?, [\d,]+ bytes?, [\d,]+ actions? \(Temporal Cloud\)/gu, '<size>'],
  [/: [\d,]+ bytes\b/gu, ': <size>'],
  [/"(durationMs|\w+Tokens|cost|actions|events|bytes)": ?[\d.]+/gu, '"$1": <number>'],
];

/** Two outputs that differ only by nature are the same after this. */
export function essence(output: string): string {
  return VOLATILE.reduce((text, [pattern, name]) => text.replaceAll(pattern, name), trimmed(output));
}

/** Blanks at the ends of lines and empty lines at the end of an output do not show. */
function trimmed(output: string): string {
  return output.replaceAll(/[ \t]+$/gmu, '').replace(/^\n+|\n+$/gu, '');
}
