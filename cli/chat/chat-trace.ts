import stringWidth from 'string-width';
import type { RunEvent, RunStep } from '../../agent/run/events.ts';
import { needsPerson } from '../../agent/rules/waiting.ts';
import { EXCEPTION_TOOL, asText } from '../../agent/values/vocabulary.ts';
import { duration, oneLine } from '../../features/render/words/amounts.ts';
import { fit, lastRows } from '../shell/display.ts';
import { sanitizeForTerminal } from '../../agent/text/sanitize.ts';
import {
  failureText,
  notBegunText,
  notesOn,
  pauseText,
  reconciledText,
  waitingText,
} from '../print/trace/trace-words.ts';
import {
  restartText,
  steeringText,
  tries,
  unheardText,
  decisionText,
} from '../../features/render/words/run-words.ts';
import type { ChatTerminal, LiveLine } from './chat-terminal.ts';

/** Shows a run in a chat: one line for each step, and calls under way in place. */
export interface ChatTrace {
  print(event: RunEvent): void;
  /** Removes the lines of calls under way. */
  end(): void;
}

const INDENT = '  ';
const TEXT_ROWS = 12;

export interface ChatTraceOptions {
  /** Returns true if the person at the prompt made the decision. The trace does not show such a decision. */
  decidedHere(call: string): boolean;
  /** The model writes its answer without a label. */
  plain: boolean;
}

export function createChatTrace(
  { colors, live, width, write }: Pick<ChatTerminal, 'colors' | 'live' | 'width' | 'write'>,
  { decidedHere, plain }: ChatTraceOptions,
): ChatTrace {
  /** Lines of the calls under way. Calls of a sub-agent come below the call that runs it. */
  const open = new Map<string, LiveLine[]>();
  const tools = new Map<string, string>();
  const show = () => live([...open.values()].flat());
  return {
    print,
    end: () => live([]),
  };

  function print(event: RunEvent): void {
    if (event.type === 'run_ended') {
      if (event.within === undefined) open.clear();
      return show();
    }
    const stays = event.within === undefined ? staying(event) : [];
    underWay(event);
    write(stays);
    show();
  }

  function staying(event: RunEvent): string[] {
    const { dim, magenta, red, yellow } = colors;
    switch (event.type) {
      case 'step':
        return [dim(stepLine(event.step, width() - 1))];
      case 'model_ended':
        return notesOn(event.turn, event.closing).map((text) => INDENT + yellow(text));
      case 'model_failed':
        return [INDENT + red(failureText(`${event.call} the model`, event))];
      case 'tool_failed':
        return [INDENT + red(failureText(`${event.call} ${oneLine(tools.get(event.call) ?? '')}`, event))];
      case 'decided':
        return decidedHere(event.call)
          ? []
          : [`${INDENT}${magenta(`Decision (${event.call}):`)} ${decisionText(event.decision)}`];
      case 'waiting':
        return needsPerson(event.wait) ? [] : [INDENT + yellow(waitingText(event.wait, true, event.at))];
      case 'reconciled':
        return [INDENT + reconciledText(event, ` (${event.call})`)];
      case 'not_begun':
        return [INDENT + yellow(notBegunText(event))];
      case 'call_paused':
      case 'paused_in_temporal':
      case 'unpaused_in_temporal':
        return [INDENT + yellow(pauseText(event))];
      case 'unanswered':
        return [INDENT + yellow(`No decision in time (${event.call})`)];
      case 'steered':
        return event.message.type === 'say' ? [] : [INDENT + magenta(steeringText(event.message))];
      case 'unheard':
        return [INDENT + yellow(unheardText(event.messages))];
      case 'restarted':
        return [INDENT + magenta(restartText(event))];
      default:
        return [];
    }
  }

  function underWay(event: RunEvent): void {
    const { within } = event;
    const key = (call: string) => (within === undefined ? call : `${within}/${call}`);
    const indent = INDENT.repeat(within === undefined ? 1 : within.split('/').length + 1);
    const dim = (text: string): LiveLine => ({ text: `${indent}${oneLine(text)}`, dim: true });
    switch (event.type) {
      case 'model_started':
        return set(key(event.call), [dim('thinking …')]);
      case 'model_text':
        return set(key(event.call), writing(asText(event.text), indent));
      case 'tool_started':
        tools.set(key(event.call), event.tool);
        if (event.tool === EXCEPTION_TOOL) return;
        return set(key(event.call), [dim(`${event.tool} ${asText(event.toolInput)} …`)]);
      case 'tool_progress':
        return set(key(event.call), [dim(`${tools.get(key(event.call)) ?? ''} … ${asText(event.text)}`)]);
      case 'attempt_failed':
        return set(key(event.call), [
          dim(
            `${event.call} attempt ${event.attempt} failed: ${event.error.message}; attempt ${event.attempt + 1} …`,
          ),
        ]);
      case 'model_ended':
      case 'model_failed':
      case 'tool_failed':
        return close(key(event.call));
      case 'waiting':
        return close(key(event.wait.call));
      case 'step':
        return close(key(event.step.call));
      default:
        return;
    }
  }

  function writing(text: string, indent: string): LiveLine[] {
    const answer = answerIn(text, plain);
    const shown = sanitizeForTerminal(answer ?? text).trim();
    return lastRows(shown, TEXT_ROWS, width() - indent.length - 1).map((row) => ({
      text: (answer === undefined ? indent : '') + row,
      dim: answer === undefined,
    }));
  }

  function set(key: string, lines: LiveLine[]): void {
    open.set(key, lines);
  }

  /** Removes a call, with the calls within it. */
  function close(key: string): void {
    for (const other of open.keys()) if (other === key || other.startsWith(`${key}/`)) open.delete(other);
  }
}

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

/**
 * The part of an unfinished reply that belongs to the answer; undefined: nothing yet. A model with native tool calls
 * (`plain`) writes only the answer, others write it after a label or in JSON.
 */
export function answerIn(text: string, plain: boolean): string | undefined {
  // The blanks before a label: line breaks among them would be looked through again from each.
  const labelled = /(?:^|\n)[^\S\n]*(?:Final Answer|AI):[ \t]*([^]*)$/u.exec(text)?.[1];
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
