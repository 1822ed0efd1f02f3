import { type ErrorInfo, type Json, type Usage, asText } from '../../agent/vocabulary.ts';
import type { ModelTurn } from '../../agent/calls.ts';
import type { Allowance } from '../../agent/counters.ts';
import type { OperatorDecision, RunEvent, RunMessage, WaitingCall } from '../../agent/events.ts';
import type { RestartedEvent } from '../../agent/restart.ts';
import { reasonText, stateOf } from '../../agent/rules/waiting.ts';
import { costWords } from './cost.ts';
import { count, duration, oneLine } from './display.ts';
import { harmless } from './harmless.ts';
import { tokenWords, wordCount } from './tokens.ts';

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

/** How much the model thought before it wrote: all of it is in `show --prompt` and `--verbose`. */
export function reasoningWords({ reasoning }: ModelTurn): string[] {
  return reasoning === undefined ? [] : [`reasoning: ${wordCount(reasoning)}`];
}

/** What a model call took. */
export function turnWords({ usage }: ModelTurn, durationMs: number, attempts: number): string[] {
  return [duration(durationMs), tokenWords(usage), ...costWords(usage), ...tries(attempts)];
}

export function tries(attempts: number): string[] {
  return attempts > 1 ? [`${attempts} attempts`] : [];
}

function errorText({ type, message }: ErrorInfo): string {
  return oneLine(type === 'Error' ? message : `${type}: ${message}`);
}

export function failureText(
  what: string,
  { attempts, error }: { attempts: number; error: ErrorInfo },
): string {
  return `${what}${attempts > 1 ? ` after ${attempts} attempts` : ''}: ${errorText(error)}`;
}

/** An attempt that failed, and when the next one comes, where that is known. */
export function attemptText({
  attempt,
  error,
  retryInMs,
}: Extract<RunEvent, { type: 'attempt_failed' }>): string {
  const soon = retryInMs === undefined || retryInMs < 1000;
  const again = soon ? 'trying again' : `trying again in ${duration(retryInMs)}`;
  return `attempt ${attempt} failed: ${errorText(error)}; ${again}`;
}

/** What waits; why as well, where its failure has not been shown: a sub-agent's stands in its own trace. */
export function waitingText(waiting: WaitingCall, whyShown: boolean): string {
  const { call, tool, reason, error, note } = waiting;
  const what = stateOf(waiting).kind === 'tool' ? `${tool} (${call})` : `the model of step ${call}`;
  const why = error === undefined || whyShown ? '' : `: ${errorText(error)}`;
  return `Waiting for you: ${what} ${reasonText(reason)}${why}${noteText(note)}`;
}

function noteText(note: Json | undefined): string {
  return note === undefined || note === null || note === '' ? '' : `: ${oneLine(asText(note))}`;
}

/** Where a run begins again, and which of its steps are kept. */
export function restartText({ by, step, from, again }: RestartedEvent): string {
  switch (by) {
    case 'rewind':
      return `Rewound to step ${step}`;
    case 'fork':
      return `Forked from run ${oneLine(from.id)} at step ${step}`;
    case 'retry':
      return `Retried from ${again === undefined || again.length === 0 ? `step ${step}` : `call ${again.join(', ')}`}`;
  }
}

export function decisionText(decision: OperatorDecision): string {
  const what = decision.type === 'cancelCall' ? 'cancel the call' : decision.type;
  const remembered = 'remember' in decision && decision.remember !== undefined;
  return (
    what +
    because('reason' in decision ? decision.reason : undefined) +
    (remembered ? `, and remember it for this ${decision.remember}` : '')
  );
}

/** What a person did to the run as a whole. */
export function steeringText(message: Exclude<RunMessage, { type: 'say' }>): string {
  switch (message.type) {
    case 'pause':
      return 'Paused: nothing is begun until it is resumed';
    case 'resume':
      return 'Resumed';
    case 'extend':
      return `Extended by ${extensionText(message)}`;
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

/** What a run has taken in all. */
export function totalWords(iterations: number, usage: Usage): string[] {
  return [
    count(iterations, 'step'),
    count(usage.modelCalls, 'model call'),
    tokenWords(usage),
    ...costWords(usage),
  ];
}

/** `Label: text`, the text's further lines indented like the first. */
export function labels(paint: (label: string) => string, usual: string) {
  return (label: string, text: string, indent = usual): string[] => {
    const [first = '', ...others] = harmless(text).split('\n');
    return [`${indent}${paint(`${label}:`)} ${first}`, ...others.map((line) => indent + line)];
  };
}

/** What a reader should know of a reply beside its text. */
export function notesOn(
  { finishReason, shortened, warnings = [] }: ModelTurn,
  closing: boolean | undefined,
): string[] {
  return [
    ...(finishReason === 'length' ? ['the reply was cut off at the token limit'] : []),
    ...(closing === true ? ['asked for its answer at the limit'] : []),
    ...(shortened === true ? ['the context was too long: the oldest observations were shortened'] : []),
    ...warnings.map((text) => `warning: ${oneLine(text)}`),
  ];
}
