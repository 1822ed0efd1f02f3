import stringWidth from 'string-width';
import { splitAt } from '../shell/display.ts';

/** Further rows of a line are indented by so much more than its first row. */
const HANGING = 2;
/** Cells below which the terminal wraps better. */
const LEAST_ROOM = 20;
/** A longer line is left to the terminal: measuring takes time. */
const LONGEST_LINE = 20_000;

/**
 * Breaks a line between words into rows of at most `width` cells, with a hanging indent. A link stays in one row however
 * long it is, so that the terminal still finds the link.
 */
export function wrapLine(line: string, width: number): string[] {
  if (line.length > LONGEST_LINE || stringWidth(line) <= width) return [line];
  const [start = '', indent = ''] = /^(?:\u{1b}\[[\d;]*m)*( *)/u.exec(line) ?? [];
  const margin = ' '.repeat(indent.length + HANGING);
  if (width - margin.length < LEAST_ROOM) return [line];
  const rows = [start];
  let used = indent.length;
  let isEmpty = true;
  for (const [, gap = '', word = ''] of line.slice(start.length).matchAll(/( *)([^ ]+)/gu)) {
    const cells = stringWidth(word);
    if (!isEmpty && used + gap.length + cells > width) begin();
    append(isEmpty ? word : gap + word, isEmpty ? cells : gap.length + cells);
  }
  return rows;

  function begin(): void {
    rows.push(margin);
    [used, isEmpty] = [margin.length, true];
  }

  function append(text: string, cells: number): void {
    const isWhole = used + cells <= width || /:\/\/|\u{1b}/u.test(text);
    const part = isWhole ? { text, rest: '' } : splitAt(text, width - used);
    rows.push(`${rows.pop() ?? ''}${part.text}`);
    [used, isEmpty] = [used + cells, false];
    if (part.rest === '') return;
    begin();
    append(part.rest, stringWidth(part.rest));
  }
}
