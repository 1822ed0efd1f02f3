import { z } from '@hono/zod-openapi';
import type { ClientTool, Input, InputPart } from '../../client/index.ts';
import { bad, optional, readBody } from '../http/read-body.ts';
import { readTool } from '../start/brought-tools.ts';
import type { RunAnswers } from '../start/answer-run.ts';
import { filePart } from '../http/sent-file.ts';
import { type ClientResult, readClientCall } from '../start/client-calls.ts';
import type { ClientMessage } from './agui-stream.ts';
import type { RunNames } from './agui-types.ts';
import { answersIn } from './interrupts.ts';

export interface RunInput {
  names: RunNames;
  messages: readonly ClientMessage[];
  /** The whole body. */
  body: object;
  /** `message`: the id of the question. `results`: those of the client's tools. */
  asked:
    | { type: 'question'; input: Input; message: string; clientTools: readonly ClientTool[] | undefined }
    | ({ type: 'answers' } & RunAnswers);
}

const questionPart = z.union(
  [
    z
      .object({ type: z.literal('text'), text: z.string() })
      .transform(({ text }): InputPart => ({ type: 'text', text })),
    z
      .object({
        type: z.literal('image'),
        source: z.union([
          z.object({ type: z.literal('url'), value: z.string() }),
          z
            .object({ type: z.literal('data'), value: z.string(), mimeType: z.string() })
            .transform(({ value, mimeType }) => ({ value: `data:${mimeType};base64,${value}` })),
        ]),
      })
      .transform(({ source }): InputPart => ({ type: 'image', image: source.value })),
    z
      .object({
        type: z.enum(['audio', 'document']),
        source: z.object({ type: z.literal('data'), value: z.string(), mimeType: z.string() }),
        metadata: z.object({ filename: z.string().optional() }).optional().catch(undefined),
      })
      .transform(({ source: { value, mimeType }, metadata }) =>
        filePart({ content: value, mediaType: mimeType, filename: metadata?.filename }),
      ),
  ],
  {
    error:
      'The parts of a question are texts, images by their URL or data, and audio and documents by their data.',
  },
);
const question = z.union([z.string(), z.array(questionPart)]);

const message = z.looseObject({
  id: z.string(),
  role: z.string(),
  content: z.unknown().optional(),
  toolCallId: z.unknown().optional(),
  error: z.unknown().optional(),
});
const contextEntry = z.object({ description: z.string(), value: z.string() });
const body = z.looseObject({
  threadId: z.string().min(1),
  runId: z.string().min(1),
  messages: z.array(message),
  tools: optional(z.array(z.unknown())),
  context: optional(z.array(contextEntry)),
  resume: z.unknown().optional(),
});

/** Reads a RunAgentInput. Only its last message is the question: the session has the messages before. Throws Refused. */
export async function readRunInput(request: Request): Promise<RunInput> {
  const sent = await readBody(request, body);
  const { threadId, runId, messages, tools = [], context = [], resume, ...rest } = sent;
  const persons = answersIn(resume);
  const results = resultsOf(messages);
  const asked: RunInput['asked'] =
    persons.length + results.length > 0
      ? { type: 'answers', persons, results }
      : questionOf(messages, { context, clientTools: tools.length > 0 ? tools.map(readTool) : undefined });
  // Clients send an empty list where they have no tools.
  const fields = tools.length > 0 ? { ...rest, tools } : rest;
  return { names: { threadId, runId }, messages, body: fields, asked };
}

/** Results of the client's tools after its last question. */
function resultsOf(messages: z.output<typeof message>[]): ClientResult[] {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  return messages.slice(last + 1).flatMap(({ role, content, toolCallId, error }): ClientResult[] => {
    const call = role === 'tool' ? readClientCall(toolCallId) : undefined;
    if (call === undefined) return [];
    const isFailure = typeof error === 'string' && error !== '';
    return [{ ...call, result: isFailure ? { error } : { output: content ?? '' } }];
  });
}

/** A client that sends a request again has messages of the answer behind the question. */
function questionOf(
  messages: z.output<typeof message>[],
  { context, clientTools }: { context: ContextEntry[]; clientTools: readonly ClientTool[] | undefined },
): RunInput['asked'] {
  const last = messages.findLast(({ role }) => role === 'user');
  if (last === undefined)
    throw bad(
      'There is no message of the role user, no answer to an interrupt, and no result of a tool of the client.',
    );
  const { data, error } = question.safeParse(last.content);
  if (error !== undefined) throw bad(`The question: ${error.issues[0]?.message}`);
  return { type: 'question', input: withContext(data, context), message: last.id, clientTools };
}

type ContextEntry = z.output<typeof contextEntry>;

/** The context that the client shows comes from the sender, as the question does: it adds nothing to the agent's instructions. */
function withContext(input: Input, context: readonly ContextEntry[]): Input {
  if (context.length === 0) return input;
  const lines = context.map(({ description, value }) => `- ${description}: ${value}`);
  const text = ['Context that the client shows:', ...lines].join('\n');
  return typeof input === 'string' ? `${input}\n\n${text}` : [...input, { type: 'text', text }];
}
