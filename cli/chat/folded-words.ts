import stringWidth from 'string-width';
import type { RunStep } from '../../agent/events.ts';
import { EXCEPTION_TOOL, asText } from '../../agent/vocabulary.ts';
import { duration, fit, oneLine } from '../print/display.ts';
import { tries } from '../print/trace-words.ts';

/** A step in one line: `1.1 weather Lisbon → 21 degrees · 0.3 s`. */
export function stepLine(
  { call, action, observation, attempts, durationMs }: RunStep,
  cells: number,
): string {
  const costs = attempts === 0 ? [] : [duration(durationMs), ...tries(attempts)];
  const tail = costs.map((cost) => ` · ${cost}`).join('');
  const unread = action.tool === EXCEPTION_TOOL;
  const what = unread ? 'a reply that could not be read' : oneLine(action.tool);
  const head = `  ${call} ${what}`;
  const left = cells - stringWidth(head) - stringWidth(tail);
  if (left < LEAST) return fit(head + tail, cells);
  const input = unread ? '' : fit(` ${oneLine(asText(action.toolInput))}`.trimEnd(), Math.floor(left / 2));
  const seen = fit(` → ${oneLine(asText(observation))}`, left - stringWidth(input));
  return head + input + seen + tail;
}

/** Cells below which input and observation would be unreadable. */
const LEAST = 12;

/** The last turns of a conversation, each message in one line. */
export function turnLine(who: string, text: string, cells: number): string {
  return fit(`${who}: ${oneLine(text)}`, cells);
}

/**
 * Of a reply under way, what is already the answer; undefined: nothing yet. A model with native tool calls (`plain`) writes
 * its answer as it is, the others behind a label or in JSON.
 */
export function answerIn(text: string, plain: boolean): string | undefined {
  const labelled = /(?:^|\n)\s*(?:Final Answer|AI):[ \t]*([^]*)$/u.exec(text)?.[1];
  return labelled ?? answerInJson(text) ?? (plain ? text : undefined);
}

/** The beginning of a JSON text that has not been closed yet. */
function answerInJson(text: string): string | undefined {
  const begun =
    /"action"\s*:\s*"Final Answer"\s*,\s*"action_input"\s*:\s*"((?:[^"\\]|\\[^u]|\\u[\da-f]{4})*)/iu.exec(
      text,
    )?.[1];
  if (begun === undefined) return undefined;
  try {
    // Models write line breaks as they are, which JSON does not allow.
    return String(JSON.parse(`"${begun.replaceAll('\n', '\\n')}"`));
  } catch {
    return undefined;
  }
}
