import type { ErrorInfo } from '../../agent/vocabulary.ts';
import type { ModelTurn } from '../../agent/calls.ts';
import type { OperatorDecision } from '../../agent/events.ts';
import { oneLine } from './display.ts';

/** What the model thought in a turn: its words, without those that are the answer. */
export function thoughtIn({ text, toolCalls, decision }: ModelTurn): string {
  if (decision.type === 'finish' && decision.output === text) return '';
  const log = decision.type === 'act' && toolCalls === undefined ? decision.actions[0]?.log : undefined;
  return thoughtOf(log ?? text);
}

/** What the model said before it named an action or the answer; nothing of a reply that is JSON. */
function thoughtOf(log: string): string {
  if (/^\s*(?:```|\{)/u.test(log)) return '';
  // No two parts of it that match the same blanks: it would take the square of a long reply's length.
  const end = log.search(/\bAction\s*(?:\d+\s*)?:|Final Answer:/u);
  return (end < 0 ? log : log.slice(0, end)).replace(/^\s*Thought:/u, '').trim();
}

export function tries(attempts: number): string[] {
  return attempts > 1 ? [`${attempts} attempts`] : [];
}

export function errorText({ type, message }: ErrorInfo): string {
  return oneLine(type === 'Error' ? message : `${type}: ${message}`);
}

export function decisionText(decision: OperatorDecision): string {
  switch (decision.type) {
    case 'retry':
    case 'resolve':
      return decision.type;
    case 'cancelCall':
      return `cancel the call${because(decision.reason)}`;
    case 'skip':
    case 'abort':
      return decision.type + because(decision.reason);
  }
}

function because(text: string | undefined): string {
  return text === undefined ? '' : ` (${oneLine(text)})`;
}
