import type { Part } from '@a2a-js/sdk';
import { z } from '@hono/zod-openapi';
import {
  awaitsResult,
  type DecisionName,
  decisionNames,
  type Input,
  type InputPart,
  needsPerson,
  type OperatorDecision,
  possibleDecisions,
  type WaitingCall,
} from '../../client/index.ts';
import { Refused } from '../http/problem.ts';
import { bad } from '../http/read-body.ts';
import { decisionInWords, sentDecision, wordsField } from '../http/sent-decision.ts';
import { filePart } from '../http/sent-file.ts';
import type { CallDecision } from '../start/decide-all.ts';

/** Reads a question. Throws Refused. */
export function readQuestion(parts: readonly Part[]): Input {
  const read = parts.map(questionPart);
  const [only] = read;
  return read.length === 1 && only?.type === 'text' ? only.text : read;
}

/** Data is read by a model, so it becomes a text. */
function questionPart({ content, mediaType, filename }: Part): InputPart {
  switch (content?.$case) {
    case 'text':
      return { type: 'text', text: content.value };
    case 'data':
      return { type: 'text', text: JSON.stringify(content.value) };
    case 'raw':
      return filePart({ content: content.value, mediaType, filename });
    case 'url':
      if (mediaType.startsWith('image/')) return { type: 'image', image: content.value, mediaType };
      throw new Refused(
        415,
        'ContentTypeNotSupported',
        `A file by its URL is an image, with a mediaType such as image/png, but is ${JSON.stringify(mediaType)}. Send any other file itself, as raw.`,
      );
    default:
      throw bad('A part of the message has no content.');
  }
}

/** A message to a task: decisions on what waits, or a message to the model. */
export type TaskReply = { type: 'say'; text: string } | { type: 'decide'; decisions: CallDecision[] };

const decisionData = z.looseObject({
  type: z.enum(decisionNames),
  call: z.string().optional(),
  wait: z.int().optional(),
});

/**
 * Reads a reply. Data parts are decisions, as the body of `POST /runs/ID/decisions`. A text is the decision on the only call that waits, or
 * the result of a call that waits for one. While nothing waits, the text is a message to the model. Throws Refused.
 */
export function readReply(parts: readonly Part[], waiting: readonly WaitingCall[]): TaskReply {
  const data = parts.flatMap(({ content }) => (content?.$case === 'data' ? [content.value as unknown] : []));
  if (data.length > 0) return { type: 'decide', decisions: data.map(dataDecision) };
  const text = parts.map(textOf).join('\n').trim();
  if (text === '') throw bad('The message has no text.');
  const [wait, ...others] = waiting.filter(needsPerson);
  if (wait === undefined) return { type: 'say', text };
  const { call, n } = wait;
  if (others.length === 0) {
    return { type: 'decide', decisions: [{ call, wait: n, decision: textDecision(wait, text) }] };
  }
  const calls = [call, ...others.map((other) => other.call)].join(', ');
  throw bad(`Several calls wait (${calls}): reply with a data part for each, such as ${EXAMPLE}.`);
}

const EXAMPLE = '{"type":"approve","call":"1.1"}';

function dataDecision(sent: unknown): CallDecision {
  const { data, error } = decisionData.safeParse(sent);
  if (error !== undefined) throw bad(`The data of a reply is a decision, such as ${EXAMPLE}.`);
  const { type, call, wait, ...fields } = data;
  const decision = sentDecision({ type, ...fields });
  if (wait === undefined) return { call, decision };
  if (call === undefined) throw bad(`A decision with a wait names the call of the wait, as ${EXAMPLE} does.`);
  return { call, wait, decision };
}

/** Throws Refused for a text that may have another meaning: an approval takes no other text. */
function textDecision(wait: WaitingCall, text: string): OperatorDecision {
  if (awaitsResult(wait)) return { type: 'resolve', output: text };
  const [, word = '', rest = ''] = /^(\p{L}+)[\s.!:,;-]*(.*)$/su.exec(text) ?? [];
  const possible = possibleDecisions(wait);
  const chosen = possible.find(({ type }) => type.toLowerCase() === word.toLowerCase());
  const field = chosen && wordsField(chosen);
  if (chosen === undefined || (rest !== '' && field === undefined)) throw bad(howToReply(possible));
  if (rest === '' && field === 'output') throw bad('Write the result of the call after "resolve".');
  return decisionInWords(chosen, rest);
}

function howToReply(possible: readonly { type: DecisionName }[]): string {
  const words = possible.map(({ type }) => type).join(', ');
  return `Reply with one of: ${words}. Words after it are the reason, or the result for resolve. For more, send a data part such as ${EXAMPLE}.`;
}

function textOf({ content }: Part): string {
  if (content?.$case === 'text') return content.value;
  throw bad('The parts of a reply are texts, or data with decisions.');
}
