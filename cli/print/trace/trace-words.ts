import { type ErrorInfo, type Json, type Usage, asText } from '../../../agent/values/vocabulary.ts';
import { modelWords } from '../../../agent/definition/agent-models.ts';
import type { ModelTurn } from '../../../agent/calls/calls.ts';
import type { PausedBy, PausedCall, RunEvent, RunStep } from '../../../agent/run/events.ts';
import { type WaitingCall, calledText, reasonText } from '../../../agent/rules/waiting.ts';
import type { RestartedEvent } from '../../../agent/calls/restart.ts';
import { pausedCallText, unpauseAdvice } from '../../../client/connect/paused-calls.ts';
import type { CallNotBegun } from '../../../client/report.ts';
import { cliName, shellWord } from '../../../client/connect/cli-name.ts';
import { count, duration, oneLine } from '../../../features/render/words/amounts.ts';
import { changeText, tries } from '../../../features/render/words/run-words.ts';
import { costWords, tokenWords, wordCount } from '../../../features/render/words/usage-words.ts';
import { localTime } from '../../shell/display.ts';
import { sanitizeForTerminal } from '../../../agent/text/sanitize.ts';

/** Size of the model's reasoning: `show --prompt` and `--verbose` print all of it. */
export function reasoningWords({ reasoning }: ModelTurn): string[] {
  return reasoning === undefined ? [] : [`reasoning: ${wordCount(reasoning)}`];
}

export function turnWords(
  { usage, answeredBy, agent }: ModelTurn,
  durationMs: number,
  attempts: number,
): string[] {
  const by = answeredBy === undefined ? [] : [oneLine(modelWords(answeredBy))];
  const who = agent === undefined ? [] : [oneLine(agent)];
  return [...who, ...by, duration(durationMs), tokenWords(usage), ...costWords(usage), ...tries(attempts)];
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

type AttemptFailed = Extract<RunEvent, { type: 'attempt_failed' }>;

/** Failed attempts are asked for once a second, so some never come as an event: the next event's text counts them. */
export function createAttempts() {
  const last = new Map<string, number>();
  return {
    /** A call is scheduled: attempts are counted again. */
    begin: (call: string) => void last.delete(call),
    /** `which`: the id of the call, for a reader who could take another call for it. */
    text(event: AttemptFailed, which = ''): string {
      const before = last.get(event.call) ?? 0;
      last.set(event.call, event.attempt);
      return attemptText(event, which, Math.max(0, event.attempt - before - 1));
    },
  };
}

/** An attempt that failed, and when the next one comes, where that is known. `unseen`: attempts before it that no event was for. */
function attemptText(
  { attempt, error, retryInMs, paused }: AttemptFailed,
  which: string,
  unseen: number,
): string {
  const soon = retryInMs === undefined || retryInMs < 1000;
  const next = soon ? 'trying again' : `trying again in ${duration(retryInMs)}`;
  const again = paused === true ? 'the call is paused' : next;
  const attempts = unseen > 0 ? `attempts ${attempt - unseen} to ${attempt}` : `attempt ${attempt}`;
  return `${attempts}${which} failed: ${errorText(error).replace(/\.$/u, '')}; ${again}`;
}

type Pause = Extract<RunEvent, { type: 'paused_in_temporal' | 'unpaused_in_temporal' | 'call_paused' }>;

/** An operator's pause of the run or of a call by Temporal's own commands, or the end of the run's pause. */
export function pauseText(pause: Pause | ({ type: 'call_paused' } & PausedCall)): string {
  switch (pause.type) {
    case 'paused_in_temporal':
      return `Paused in Temporal${senderText(pause)}. \`temporal workflow unpause\` lets the run continue.`;
    case 'unpaused_in_temporal':
      return `Unpaused in Temporal${senderText(pause)}.`;
    case 'call_paused':
      return oneLine(`${pausedCallText(pause)} ${unpauseAdvice(pause)}`);
  }
}

function senderText({ by, reason }: PausedBy): string {
  return `${by === undefined ? '' : ` by ${oneLine(by)}`}${reason === undefined ? '' : `: ${oneLine(reason).replace(/\.$/u, '')}`}`;
}

export function notBegunText({ tool, call, taskQueue }: CallNotBegun): string {
  const isModel = tool === 'callModel';
  const what = isModel ? `The model of step ${call}` : `${oneLine(tool)} (${call})`;
  const command = `\`${cliName()} worker --queue ${oneLine(shellWord(taskQueue))}\``;
  const start = `start one with ${command}${isModel ? '' : ', or the worker of the external tool'}`;
  return `${what} has not begun: no worker polls task queue ${oneLine(taskQueue)}; ${start}`;
}

/**
 * The waiting call; with the reason, unless its failure was shown: a sub-agent's is shown in its own trace. `at`: start
 * of the wait.
 */
export function waitingText(waiting: WaitingCall, whyShown: boolean, at = 0): string {
  const { error, note, until } = waiting;
  const what = calledText(waiting);
  const why = error === undefined || whyShown ? '' : `: ${errorText(error)}`;
  if (until === undefined) return `Waiting for you: ${what} ${reasonText(waiting)}${why}${noteText(note)}`;
  const asked = `Reloop asks the tool at ${localTime(new Date(until)).slice(11)} whether it took effect`;
  return `In doubt: ${what} ${reasonText(waiting)}${why}. ${asked}${at === 0 ? '' : `, after ${duration(until - at)}`}`;
}

/** The answer of a tool's `reconcile` about a call in doubt. `which`: as for an attempt. */
export function reconciledText(
  { found, error }: Extract<RunEvent, { type: 'reconciled' }>,
  which = '',
): string {
  const words = { done: 'the call took effect', notDone: 'the call did nothing', unknown: 'unknown' };
  return `Reloop asked the tool${which} whether it took effect: ${words[found]}${error === undefined ? '' : ` (${errorText(error)})`}`;
}

/** Text about a call whose tool said something beside its result. */
export function toolWordText(
  event: Extract<RunEvent, { type: 'reconciled' | 'checkpoint' }>,
  which: string,
): string {
  return event.type === 'reconciled' ? reconciledText(event, which) : checkpointText(event, which);
}

function checkpointText({ checkpoint }: Extract<RunEvent, { type: 'checkpoint' }>, which: string): string {
  return checkpoint === null
    ? `Its work elsewhere${which} is over`
    : `Continues elsewhere${which}: ${oneLine(asText(checkpoint))}`;
}

function noteText(note: Json | undefined): string {
  return note === undefined || note === null || note === '' ? '' : `: ${oneLine(asText(note))}`;
}

/** The part of a fork's steps that the other run made. */
export function keptText({ from, iterations, usage }: RestartedEvent): string {
  return `kept of run ${oneLine(from.id)}: ${totalWords(iterations, usage).join(' · ')}`;
}

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
    const [first = '', ...others] = sanitizeForTerminal(text).trimEnd().split('\n');
    return [`${indent}${paint(`${label}:`)} ${first}`, ...others.map((line) => indent + line)];
  };
}

/** Notes on a reply, beside its text. */
export function notesOn(
  { finishReason, shortened, warnings = [], changes = [] }: ModelTurn,
  closing: boolean | undefined,
): string[] {
  return [
    ...(finishReason === 'length' ? ['the reply was cut off at the token limit'] : []),
    ...(finishReason === 'content_filter' ? ["the provider's content filter ended the reply"] : []),
    ...(closing === true ? ['asked for its answer at the limit'] : []),
    ...(shortened === true ? ['the context was too long: the oldest observations were shortened'] : []),
    ...warnings.map((text) => `warning: ${oneLine(text)}`),
    ...changes.map(changeText),
  ];
}

/**
 * Remarks below an observation: the part of the text that is left out, the duration of the call. `whole`: the command
 * that shows all.
 */
export function stepRemarks(
  { attempts, durationMs, changes = [] }: Pick<RunStep, 'attempts' | 'durationMs' | 'changes'>,
  cut: number,
  whole: string | undefined,
): string[] {
  return [
    ...(cut === 0 ? [] : [`… ${count(cut, 'more character')}${whole === undefined ? '' : `: ${whole}`}`]),
    ...changes.map(changeText),
    ...(attempts === 0 ? [] : [[duration(durationMs), ...tries(attempts)].join(' · ')]),
  ];
}
