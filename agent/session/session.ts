import { isObject } from '../json-object.ts';
import { type RunOverrides, checkOverrides } from '../overrides.ts';
import { utf8Length } from '../transcript/digest.ts';
import type { Content } from '../content.ts';
import { checkContent } from '../check-content.ts';
import { limits } from '../limits.ts';
import { boundedText } from '../values.ts';
import type { ChatMessage, Usage } from '../vocabulary.ts';

/** A durable conversation and what is said in it. JSON; recorded in history, so fields are only ever added. */

/** One message to a session: a run of `agent`, whose workflow id is `id`. The same id again is the same message. */
export interface SessionMessage {
  id: string;
  agent: string;
  /** Sent, an image is a reference to what was sent with the message; kept, it says where that is recorded. */
  input: Content;
  overrides?: RunOverrides | undefined;
  /** Values for the user's own `{names}` in prompt texts. */
  variables?: { [name: string]: string } | undefined;
}

/** What a session carries from one run of its workflow to the next. */
export interface SessionState {
  name: string;
  /** Questions and answers, oldest first, perhaps behind a summary of older ones. */
  messages: ChatMessage[];
  /** Ids of the latest runs, oldest first. */
  runs: string[];
  /** Messages that wait for their turn. */
  queue: SessionMessage[];
  /** Latest questions whose run came to nothing: it may be retried. */
  unanswered?: { id: string; input: Content }[] | undefined;
}

/** Input of the activity `summarizeConversation`: what is summed up, behind the summary there is. */
export interface SummarizeInput {
  /** Its model is asked. */
  agent: string;
  overrides?: RunOverrides | undefined;
  summary: string | null;
  turns: ChatMessage[];
}

export interface Summarized {
  summary: string;
  usage: Usage;
}

/** Sizes of a session: a question and the conversation before it fit into one payload, and so does what is carried on. */
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

/** The workflow id of a session. */
export function sessionId(name: string): string {
  return `session:${name}`;
}

/** Throws a plain Error whose message says what a name may be. */
export function checkSessionName(name: unknown): void {
  if (!isId(name)) throw new Error(`The name of a session ${ID_RULE}.`);
}

/**
 * A message as it arrived, checked. `images`: how many came with it, where that is known. Throws a plain Error whose message
 * says what is wrong with it.
 */
export function checkSessionMessage(value: unknown, images?: number): SessionMessage {
  if (!isObject(value)) throw new Error(`send: data is an object such as ${EXAMPLE}.`);
  const unknown = Object.keys(value).filter((key) => !FIELDS.includes(key));
  if (unknown.length > 0) {
    throw new Error(
      boundedText(
        `send: unknown field ${unknown.join(', ')}. Known: ${FIELDS.join(', ')}.`,
        limits.errorChars,
      ),
    );
  }
  const { id, agent, input, overrides = {}, variables = {} } = value;
  if (!isId(id)) throw new Error(`send: id ${ID_RULE}: it becomes the run's.`);
  if (typeof agent !== 'string' || agent === '') throw new Error('send: agent is the name of an agent.');
  checkContent(input, images);
  const problem = checkOverrides(overrides);
  if (problem !== undefined) throw new Error(`send: ${problem}`);
  if (!isObject(variables) || Object.values(variables).some((text) => typeof text !== 'string')) {
    throw new Error('send: variables are texts by name.');
  }
  const bytes = utf8Length(JSON.stringify(value));
  if (bytes > sessionLimits.messageBytes) {
    throw new Error(
      `send: the message takes ${bytes} bytes; in a session at most ${sessionLimits.messageBytes} can be recorded. Put the rest where a tool can read it.`,
    );
  }
  return value as unknown as SessionMessage; // each field was just looked at
}

/** Throws when no more messages can wait. */
export function checkQueue(queue: readonly SessionMessage[], message: SessionMessage): void {
  if (utf8Length(JSON.stringify([...queue, message])) <= sessionLimits.queueBytes) return;
  throw new Error(`send: ${queue.length} messages wait already, and no more fit. Send it again later.`);
}

const FIELDS = ['id', 'agent', 'input', 'overrides', 'variables'];
const EXAMPLE = '{"id":"run-1","agent":"assistant","input":"…"}';
const ID_RULE = 'is a text of 1 to 200 characters without control characters or halves of characters';

/** What may name a session or a run, which become workflow ids: with half a character in one, no worker could write it. */
export function isId(value: unknown, longest = 200): boolean {
  const id = new RegExp(`^[^\\p{Cc}\\p{Cs}]{1,${longest}}$`, 'u');
  return typeof value === 'string' && id.test(value) && value.trim() !== '';
}
