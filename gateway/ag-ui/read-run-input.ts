import { z } from '@hono/zod-openapi';
import type { Input, InputPart } from '../../client/start/read-input.ts';
import { bad, optional, readBody } from '../http/read-body.ts';
import type { ClientMessage } from './agui-stream.ts';
import type { RunNames } from './agui-types.ts';
import { type ResumeEntry, resumeEntry } from './interrupts.ts';

export interface RunInput {
  names: RunNames;
  messages: readonly ClientMessage[];
  /** The whole body. */
  body: object;
  /** `message`: the id of the question. */
  asked: { type: 'question'; input: Input; message: string } | { type: 'answers'; entries: ResumeEntry[] };
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
  ],
  { error: 'The parts of a question are texts, and images by their URL or data.' },
);
const question = z.union([z.string(), z.array(questionPart)]);

const message = z.looseObject({ id: z.string(), role: z.string(), content: z.unknown() });
const body = z.looseObject({
  threadId: z.string().min(1),
  runId: z.string().min(1),
  messages: z.array(message),
  tools: optional(z.array(z.unknown())),
  context: optional(z.array(z.unknown())),
  resume: optional(z.array(resumeEntry)),
});

/** Reads a RunAgentInput. Only its last message is the question: the session has the messages before. Throws Refused. */
export async function readRunInput(request: Request): Promise<RunInput> {
  const sent = await readBody(request, body);
  const { threadId, runId, messages, tools = [], context = [], resume = [] } = sent;
  if (tools.length > 0) throw bad('tools: the agent has its own tools, and calls them itself.');
  if (context.length > 0) throw bad('context: write what the agent has to know into the question.');
  const asked: RunInput['asked'] =
    resume.length > 0 ? { type: 'answers', entries: resume } : questionOf(messages);
  return { names: { threadId, runId }, messages, body: sent, asked };
}

/** A client that sends a request again has messages of the answer behind the question. */
function questionOf(messages: readonly z.output<typeof message>[]): RunInput['asked'] {
  const last = messages.findLast(({ role }) => role === 'user');
  if (last === undefined) throw bad('There is no message of the role user, and no answer to an interrupt.');
  const { data, error } = question.safeParse(last.content);
  if (error !== undefined) throw bad(`The question: ${error.issues[0]?.message}`);
  return { type: 'question', input: data, message: last.id };
}
