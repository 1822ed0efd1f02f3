import type { ModelTurn } from '../../../agent/calls/calls.ts';
import type { HookChange } from '../../../agent/definition/hooks.ts';
import type { RestartedEvent } from '../../../agent/calls/restart.ts';
import type { Allowance } from '../../../agent/limits/counters.ts';
import type { OperatorDecision, RunMessage } from '../../../agent/run/events.ts';
import { count, duration, oneLine } from './amounts.ts';

/** The model's reasoning in a turn: its text, without that of the answer. */
export function thoughtIn({ text, toolCalls, decision }: ModelTurn): string {
  if (decision.type === 'compact') return '';
  if (decision.type === 'finish' && decision.output === text) return '';
  const log = decision.type === 'act' && toolCalls === undefined ? decision.actions[0]?.log : undefined;
  return thoughtOf(log ?? text);
}

/** The model's words before it names an action or the answer; nothing for a reply in JSON. */
function thoughtOf(log: string): string {
  if (/^\s*(?:```|\{)/u.test(log)) return '';
  // No two parts of it that match the same blanks: it would take the square of a long reply's length.
  const end = log.search(/\bAction\s*(?:\d+\s*)?:|Final Answer:/u);
  return (end < 0 ? log : log.slice(0, end)).replace(/^\s*Thought:/u, '').trim();
}

export function tries(attempts: number): string[] {
  return attempts > 1 ? [`${attempts} attempts`] : [];
}

/** A change that a hook made. */
export function changeText({ hook, call, part, before, after }: HookChange): string {
  const of = call === undefined ? '' : ` of ${call}`;
  if (part === 'refusal')
    return `${hook} refused the call${call === undefined ? '' : ` ${call}`} ${oneLine(before)}`;
  return `${hook} changed ${part}${of}: ${oneLine(before)} → ${oneLine(after)}`;
}

/** Line about a restarted run, and the steps that are kept. */
export function restartText(event: RestartedEvent): string {
  return restartWords(event) + byText({ by: event.sender });
}

function restartWords({ by, step, from, again }: RestartedEvent): string {
  switch (by) {
    case 'rewind':
      return `Rewound to step ${step}`;
    case 'fork':
      return `Forked from run ${oneLine(from.id)} at step ${step}`;
    case 'retry':
      return `Retried from ${again === undefined || again.length === 0 ? `step ${step}` : `call ${again.join(', ')}`}`;
  }
}

/** The name of the sender, after the text of a decision, a message or a start. */
export function byText({ by }: { by?: string | undefined }): string {
  return by === undefined ? '' : `, by ${oneLine(by)}`;
}

export function decisionText(decision: OperatorDecision): string {
  const what = decision.type === 'cancelCall' ? 'cancel the call' : decision.type;
  const remembered = 'remember' in decision && decision.remember !== undefined;
  return (
    what +
    because('reason' in decision ? decision.reason : undefined) +
    (remembered ? `, and remember it for this ${decision.remember}` : '') +
    byText(decision)
  );
}

/** Line about a person's command to the run as a whole. */
export function steeringText(message: Exclude<RunMessage, { type: 'say' }>): string {
  return steeringWords(message) + byText(message);
}

function steeringWords(message: Exclude<RunMessage, { type: 'say' }>): string {
  switch (message.type) {
    case 'pause':
      return 'Paused: nothing starts until it is resumed';
    case 'resume':
      return 'Resumed';
    case 'extend':
      return `Extended by ${extensionText(message)}`;
    case 'rewind':
      return `Going back to step ${message.step}: everything under way is cancelled`;
  }
}

export function unheardText(messages: readonly string[]): string {
  return `The run ended before the model could see ${count(messages.length, 'message')}`;
}

function extensionText({ iterations, timeMs, tokens, cost }: Allowance): string {
  return [
    ...(iterations === undefined ? [] : [count(iterations, 'iteration')]),
    ...(timeMs === undefined ? [] : [duration(timeMs)]),
    ...(tokens === undefined ? [] : [count(tokens, 'token')]),
    ...(cost === undefined ? [] : [`$${cost}`]),
  ].join(', ');
}

function because(text: string | undefined): string {
  return text === undefined ? '' : ` (${oneLine(text)})`;
}
