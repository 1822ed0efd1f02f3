import { z } from '@hono/zod-openapi';
import type { Input, InputPart } from '../../client/index.ts';
import { fieldOf } from '../../agent/values/values.ts';
import { bad, optional, parsed, readBody } from '../http/read-body.ts';
import { type RunAnswers, type SentAnswer, approvalAnswer } from '../start/answer-run.ts';
import { readApproval } from '../start/approvals.ts';
import { filePart } from '../http/sent-file.ts';
import { type ClientResult, readClientCall } from '../start/client-calls.ts';

/** A request of `useChat`: a question, or answers to approvals and results of the page's tools. `body`: the whole body. */
export type UiRequest = { chat: string; body: object } & (
  { type: 'question'; input: Input; message: string } | ({ type: 'answers' } & RunAnswers)
);

const part = z.looseObject({ type: z.string() });
const message = z.object({
  id: z.string().min(1),
  role: z.enum(['user', 'assistant', 'system']),
  parts: z.array(part),
});
const body = z.looseObject({
  id: z.string().min(1),
  messages: z.array(message).min(1),
});

/** A part of a question. */
const questionPart = z.union(
  [
    z
      .object({ type: z.literal('text'), text: z.string() })
      .transform(({ text }): InputPart => ({ type: 'text', text })),
    z
      .object({
        type: z.literal('file'),
        mediaType: z.string(),
        url: z.string(),
        filename: optional(z.string()),
      })
      .transform(({ url, mediaType, filename }) => filePart({ content: url, mediaType, filename })),
  ],
  { error: 'The parts of a question are texts and files.' },
);

/** A tool part of an answer, after a person has decided. */
const ANSWERED = 'approval-responded';
const answeredPart = z.object({
  approval: z.object({ id: z.string(), approved: z.boolean(), reason: optional(z.string()) }),
});

/** A part of a tool of the page, after the page has carried out the call. */
const resultPart = z.union([
  z.object({ toolCallId: z.string(), state: z.literal('output-available'), output: z.unknown() }),
  z.object({ toolCallId: z.string(), state: z.literal('output-error'), errorText: z.string() }),
]);

/** Reads a request of `DefaultChatTransport`. Only its last message counts: the session has the messages before. Throws Refused. */
export async function readUiRequest(request: Request): Promise<UiRequest> {
  const sent = await readBody(request, body);
  const { id: chat, messages } = sent;
  const last = messages.at(-1);
  if (last?.role === 'assistant') return { chat, body: sent, type: 'answers', ...answeredBy(last.parts) };
  if (last?.role !== 'user') throw bad('The last message must have the role user.');
  return { chat, body: sent, type: 'question', input: inputOf(last.parts), message: last.id };
}

function inputOf(parts: z.output<typeof part>[]): Input {
  const { data, error } = z.array(questionPart).safeParse(parts);
  if (error !== undefined) throw bad(error.issues[0]?.message ?? '');
  const [only] = data;
  return data.length === 1 && only?.type === 'text' ? only.text : data;
}

function answeredBy(parts: z.output<typeof part>[]): RunAnswers {
  const [persons, results] = [parts.flatMap(answerOf), parts.flatMap(resultOf)];
  if (persons.length + results.length > 0) return { persons, results };
  throw bad(
    'The last message has no answer to an approval, and no result of a tool of the page. A question is a message of the role user.',
  );
}

function answerOf(one: z.output<typeof part>): SentAnswer[] {
  if (fieldOf(one, 'state') !== ANSWERED) return [];
  return [
    () => {
      const { id, approved: approve, reason } = parsed(answeredPart, one).approval;
      const approval = readApproval(id);
      if (approval === undefined) throw bad(`${id} is not the id of an approval.`);
      return approvalAnswer(approval, { approve, reason });
    },
  ];
}

/** Calls of the agent's own tools have ids without the number of a wait. */
function resultOf(one: z.output<typeof part>): ClientResult[] {
  const { data } = resultPart.safeParse(one);
  const call = readClientCall(data?.toolCallId);
  if (data === undefined || call === undefined) return [];
  const { state } = data;
  return [
    { ...call, result: state === 'output-error' ? { error: data.errorText } : { output: data.output } },
  ];
}

/** The first `ai` that knows `reset-step`, `steering-message`, `tool-approval-response` and the finish reason `interrupted`. Version 6 refuses a stream that has one of them. */
const NEWER = [7, 0, 163] as const;

/** Reads from the header with the version of the page's `ai` if the page knows the newer chunks. A page without it is of version 6. Throws Refused. */
export function knowsNewerChunks(headers: Headers): boolean {
  const sent = headers.get('x-ai-sdk');
  if (sent === null) return false;
  const numbers = /^(\d+)\.(\d+)\.(\d+)(?:[-+].*)?$/u.exec(sent)?.slice(1).map(Number);
  if (numbers === undefined) {
    throw bad('The header X-AI-SDK has the version of the package ai of the page, such as 7.0.163.');
  }
  const difference = NEWER.map((least, index) => (numbers[index] ?? 0) - least).find((one) => one !== 0);
  return (difference ?? 0) >= 0;
}
