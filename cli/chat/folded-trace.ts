import type { RunEvent } from '../../agent/events.ts';
import { EXCEPTION_TOOL, asText } from '../../agent/vocabulary.ts';
import { lastRows, oneLine } from '../print/display.ts';
import { harmless } from '../print/harmless.ts';
import {
  failureText,
  notesOn,
  restartText,
  steeringText,
  unheardText,
  decisionText,
} from '../print/trace-words.ts';
import type { ChatTerminal, LiveLine } from './chat-terminal.ts';
import { answerIn, stepLine } from './folded-words.ts';

/** A run as a chat shows it: one line for each step, and what is under way in place. */
export interface FoldedTrace {
  print(event: RunEvent): void;
  /** Takes back what is only there while something is under way. */
  end(): void;
}

const INDENT = '  ';
const TEXT_ROWS = 12;

export interface FoldedOptions {
  /** A decision that the person at the prompt has just made need not be told them. */
  decidedHere(call: string): boolean;
  /** The model writes its answer as it is. */
  plain: boolean;
}

export function createFoldedTrace(
  { colors, live, width, write }: Pick<ChatTerminal, 'colors' | 'live' | 'width' | 'write'>,
  { decidedHere, plain }: FoldedOptions,
): FoldedTrace {
  /** Calls under way, with what shows them. Those of a sub-agent go below the call that runs it. */
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

  /** What is left of an event in the scroll of the terminal. */
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
      case 'unanswered':
        return [INDENT + yellow(`Nobody decided in time (${event.call})`)];
      case 'steered':
        return event.message.type === 'say' ? [] : [INDENT + magenta(steeringText(event.message))];
      case 'unheard':
        return [INDENT + yellow(unheardText(event.messages))];
      case 'restarted':
        return [INDENT + magenta(restartText(event))];
      case 'run_started':
      case 'model_started':
      case 'model_text':
      case 'model_reasoning':
      case 'action':
      case 'tool_started':
      case 'tool_progress':
      case 'attempt_failed':
      case 'waiting':
      case 'resumed':
      case 'continued':
      case 'finish':
      case 'run_ended':
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
          dim(`attempt ${event.attempt} failed: ${event.error.message}; attempt ${event.attempt + 1} …`),
        ]);
      case 'model_ended':
      case 'model_failed':
      case 'tool_failed':
        return close(key(event.call));
      case 'waiting':
        return close(key(event.park.call));
      case 'step':
        return close(key(event.step.call));
      default:
        return;
    }
  }

  function writing(text: string, indent: string): LiveLine[] {
    const answer = answerIn(text, plain);
    const shown = harmless(answer ?? text).trim();
    return lastRows(shown, TEXT_ROWS, width() - indent.length - 1).map((row) => ({
      text: (answer === undefined ? indent : '') + row,
      dim: answer === undefined,
    }));
  }

  function set(key: string, lines: LiveLine[]): void {
    open.set(key, lines);
  }

  /** With all that runs within it. */
  function close(key: string): void {
    for (const other of open.keys()) if (other === key || other.startsWith(`${key}/`)) open.delete(other);
  }
}
