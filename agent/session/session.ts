import { isObject, withoutNulls } from '../values/json-object.ts';
import type { HookChange } from '../definition/hooks.ts';
import { type RunOverrides, checkOverrides } from '../start/overrides.ts';
import { jsonBytes } from '../values/digest.ts';
import type { Content } from '../values/content.ts';
import { contentProblem } from '../start/check-content.ts';
import { fieldsProblem } from '../start/start-fields.ts';
import { limits } from '../values/limits.ts';
import { boundedText } from '../values/values.ts';
import type { ChatMessage, Usage } from '../values/vocabulary.ts';

/** A durable conversation and its messages. JSON; recorded in history, so fields are only ever added. */

/** One message to a session: a run of `agent`, whose workflow id is `id`. The same id again is the same message. */
export interface SessionMessage {
  id: string;
  agent: string;
  /** An image of a new message refers to an argument of the message; an image of a kept one, to the place where it is recorded. */
  input: Content;
  overrides?: RunOverrides | undefined;
  /** Values for the user's own `{names}` in prompt texts. */
  variables?: { [name: string]: string } | undefined;
  /** W3C `traceparent` of the sender's span. */
  traceparent?: string | undefined;
  /** Name of the person who sends the message, as the sender says. */
  by?: string | undefined;
}

/** The display name of each role in a conversation. */
export const speakers = { user: 'You', assistant: 'Agent', system: 'Notes', tool: 'Tool' } as const;

/** State that a session carries from one execution of its workflow to the next. */
export interface SessionState {
  name: string;
  /** Questions and answers, oldest first, perhaps after a summary of older ones. */
  messages: ChatMessage[];
  /** Ids of the latest runs, oldest first. */
  runs: string[];
  /** Messages that wait for their turn. */
  queue: SessionMessage[];
  /** Agents that took conversations over, by the name of the agent that messages ask. */
  handedOver?: { [agent: string]: string } | undefined;
  /** Latest questions whose run came to nothing: it may be retried. */
  unanswered?: { id: string; input: Content }[] | undefined;
  /** Usage of the model calls that wrote the notes on older turns. No run has made them. */
  notesUsage?: Usage | undefined;
}

/** Input of the activity `summarizeConversation`: the turns to summarize, after the earlier summary. */
export interface SummarizeInput {
  /** Agent whose model is asked. */
  agent: string;
  overrides?: RunOverrides | undefined;
  summary: string | null;
  turns: ChatMessage[];
}

export interface Summarized {
  summary: string;
  usage: Usage;
  /** Changes that the config's hooks made to the request and to the reply. */
  changes?: HookChange[] | undefined;
}

/**
 * Sizes of a session: a question and the conversation before it fit into one payload, and so does the state for
 * continue-as-new.
 */
export const sessionLimits = {
  conversationBytes: limits.questionBytes * 0.6,
  messageBytes: limits.questionBytes * 0.4,
  queueBytes: 800_000,
  unansweredBytes: limits.questionBytes * 0.4,
  runs: 1_000,
} as const;

export function newSession(name: string): SessionState {
  return { name, messages: [], runs: [], queue: [] };
}

export function sessionId(name: string): string {
  return `session:${name}`;
}

/** Throws a plain Error with the rule for names. */
export function checkSessionName(name: unknown): void {
  if (!isId(name)) throw new Error(`The name of a session ${ID_RULE}.`);
}

/**
 * Checks a message as it arrived. `images`: the number of its images, if known. Throws a plain Error with the problem.
 */
export function checkSessionMessage(sent: unknown, images?: number): SessionMessage {
  if (!isObject(sent)) throw new Error(`send: data is an object such as ${EXAMPLE}.`);
  const value = withoutNulls(sent);
  const unknown = Object.keys(value).filter((key) => !FIELDS.includes(key));
  if (unknown.length > 0) {
    throw new Error(
      boundedText(
        `send: unknown field ${unknown.join(', ')}. Known: ${FIELDS.join(', ')}.`,
        limits.errorChars,
      ),
    );
  }
  const { id, agent, input, overrides = {}, variables = {}, traceparent, by } = value;
  if (!isId(id)) throw new Error(`send: id ${ID_RULE}: it becomes the run's.`);
  if (typeof agent !== 'string' || agent === '') throw new Error('send: agent is the name of an agent.');
  const problem =
    contentProblem(input, images) ??
    checkOverrides(overrides) ??
    fieldsProblem({ variables, traceparent, by });
  if (problem !== undefined) throw new Error(`send: ${problem}`);
  const bytes = jsonBytes(value);
  if (bytes > sessionLimits.messageBytes) {
    throw new Error(
      `send: the message takes ${bytes} bytes; in a session at most ${sessionLimits.messageBytes} can be recorded. Put the rest where a tool can read it.`,
    );
  }
  return value as unknown as SessionMessage; // each field was just looked at
}

export function fitsQueue(queue: readonly SessionMessage[], message: SessionMessage): boolean {
  return jsonBytes([...queue, message]) <= sessionLimits.queueBytes;
}

/** Throws when no more messages can wait. */
export function checkQueue(queue: readonly SessionMessage[], message: SessionMessage): void {
  if (fitsQueue(queue, message)) return;
  throw new Error(`send: ${queue.length} messages wait already, and no more fit. Send it again later.`);
}

const FIELDS = ['id', 'agent', 'input', 'overrides', 'variables', 'traceparent', 'by'];
const EXAMPLE = '{"id":"run-1","agent":"assistant","input":"…"}';
const ID_RULE = 'is a text of 1 to 200 characters without control characters or halves of characters';

/** Valid name of a session or a run, which become workflow ids: no worker could write half a character. */
export function isId(value: unknown): value is string {
  return isName(value) && Array.from(value).length <= 200;
}

/** A name like `isId`, of any length. */
export function isName(value: unknown): value is string {
  return typeof value === 'string' && /^[^\p{Cc}\p{Cs}]+$/u.test(value) && value.trim() !== '';
}
