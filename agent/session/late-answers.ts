import type { Content } from '../values/content.ts';
import { isObject } from '../values/json-object.ts';
import type { Json } from '../values/vocabulary.ts';
import { jsonBytes } from '../values/digest.ts';
import { type SessionState, sessionLimits } from './session.ts';
import { withTurn } from './turns.ts';

/**
 * Message from a run to its session: the run was retried and has its answer after the session had continued without it.
 */
export interface LateAnswer {
  /** Workflow id of the run. */
  id: string;
  output: Json;
}

/** A question whose run came to nothing, which may change. */
export interface Unanswered {
  id: string;
  input: Content;
}

/** A signal may carry anything. */
export function asLateAnswer(value: unknown): LateAnswer | undefined {
  if (!isObject(value) || typeof value['id'] !== 'string' || value['output'] === undefined) return undefined;
  return { id: value['id'], output: value['output'] as Json }; // what came over the wire is JSON
}

/** The latest questions without an answer that fit are remembered. */
export function withUnanswered({ unanswered = [] }: SessionState, { id, input }: Unanswered): Unanswered[] {
  const all = [...unanswered.filter((other) => other.id !== id), { id, input }];
  let left = sessionLimits.unansweredBytes;
  const first = all.findLastIndex((one) => (left -= jsonBytes(one)) < 0);
  return all.slice(first + 1);
}

/** The conversation with the answer at its end; undefined if no unanswered question matches. */
export function withLateAnswer(
  { messages, unanswered = [] }: SessionState,
  { id, output }: LateAnswer,
): Pick<SessionState, 'messages' | 'unanswered'> | undefined {
  const question = unanswered.find((one) => one.id === id);
  if (question === undefined) return undefined;
  return {
    messages: withTurn(messages, question.input, { output }, sessionLimits.conversationBytes),
    unanswered: unanswered.filter((one) => one !== question),
  };
}
