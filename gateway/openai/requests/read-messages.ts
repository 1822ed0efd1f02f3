import { z } from '@hono/zod-openapi';
import type { ChatMessage, Input, InputPart } from '../../../client/index.ts';
import { fieldOf } from '../../../agent/values/values.ts';
import { Refused } from '../../http/problem.ts';
import { bad } from '../../http/read-body.ts';
import { type ClientResult, readClientCall } from '../../start/client-calls.ts';
import { filePart } from '../../http/sent-file.ts';
import { isOfFrontEnd } from './front-end-request.ts';

const sentFile = {
  file_data: z.string().optional(),
  file_url: z.string().optional(),
  filename: z.string().optional(),
};

/** A file by its data. The client refuses a URL. */
function readFile({
  file_data,
  file_url,
  filename,
}: { [F in keyof typeof sentFile]?: string | undefined }): InputPart {
  const content = file_data ?? file_url;
  if (content !== undefined) return filePart({ content, filename });
  throw bad('A file is sent with its data (file_data): there is no upload here.');
}

/** A part of a message, as both APIs write it. */
const part = z.union([
  z
    .object({ type: z.enum(['text', 'input_text', 'output_text']), text: z.string() })
    .transform(({ text }): InputPart => ({ type: 'text', text })),
  z
    .object({ type: z.literal('refusal'), refusal: z.string() })
    .transform(({ refusal }): InputPart => ({ type: 'text', text: refusal })),
  z
    .object({ type: z.literal('image_url'), image_url: z.object({ url: z.string() }) })
    .transform(({ image_url: { url } }): InputPart => ({ type: 'image', image: url })),
  z
    .object({ type: z.literal('input_image'), image_url: z.string() })
    .transform(({ image_url: image }): InputPart => ({ type: 'image', image })),
  z.object({ type: z.literal('file'), file: z.object(sentFile) }).transform(({ file }) => readFile(file)),
  z.object({ type: z.literal('input_file'), ...sentFile }).transform(readFile),
  z
    .object({ type: z.literal('input_audio'), input_audio: z.object({ data: z.string() }) })
    .transform(({ input_audio: { data } }) => filePart({ content: data })),
]);

const content = z.union([z.string(), z.array(part)], {
  error: 'Write a text, or a list of texts, of images by their URL, and of files by their data.',
});

/**
 * A message. Those of another model's tool calls, which a front end keeps in the chat, have no text for the agent: an assistant's message
 * may be without content, and results of tools count as such.
 */
export const message = z.preprocess(
  textOrNothing,
  z.object({
    role: z.enum(['user', 'assistant', 'system', 'developer'], {
      error: 'Send messages of the roles user, assistant and system.',
    }),
    content,
    /** The call whose result this is. */
    callId: z.string().optional(),
    result: z.unknown().optional(),
  }),
);

export type Message = z.output<typeof message>;

function textOrNothing(value: unknown): unknown {
  const role = fieldOf(value, 'role');
  if (role === 'tool' || role === 'function')
    return { ...NOTHING, callId: fieldOf(value, 'tool_call_id'), result: fieldOf(value, 'content') };
  return role === 'assistant' && (fieldOf(value, 'content') ?? null) === null
    ? { ...NOTHING, content: fieldOf(value, 'refusal') ?? '' }
    : value;
}

const NOTHING = { role: 'assistant', content: '' };

/** A question, and the messages before it. */
export interface ChatQuestion {
  input: Input;
  chatHistory: ChatMessage[];
}

/** Takes the last message as the question. Throws Refused where the last message is not a user's, or is of the front end itself. */
export function readMessages(messages: readonly Message[]): ChatQuestion {
  const last = messages.at(-1);
  if (last?.role !== 'user') throw bad('The last message has to be the question, of the role user.');
  if (isOfFrontEnd(messages.map(beginningOf))) throw FRONT_END;
  return { input: last.content, chatHistory: messages.slice(0, -1).flatMap(historyOf) };
}

/** The items through the last question: those after it are calls of tools, and their results. */
export function throughQuestion<T>(items: readonly T[], isQuestion: (item: T) => boolean): readonly T[] {
  return items.slice(0, items.findLastIndex(isQuestion) + 1);
}

function beginningOf({ role, content: said }: Message): { role: string; text: string } {
  const [first] = typeof said === 'string' ? [{ type: 'text' as const, text: said }] : said;
  return { role, text: first?.type === 'text' ? first.text.trimStart() : '' };
}

const FRONT_END = new Refused(
  400,
  'FrontEndRequest',
  'The front end asks this for itself (a title, tags, follow-up questions). An agent would make a run of it, with its tools, so it is refused. Set another model for these tasks in the front end, or switch them off.',
);

function historyOf({ role, content: said }: Message): ChatMessage[] {
  const text = typeof said === 'string' ? said : said.map(textOf).join('\n');
  if (text.trim() === '') return [];
  return [{ role: role === 'developer' ? 'system' : role, content: text }];
}

function textOf(said: InputPart): string {
  if (said.type === 'text') return said.text;
  throw bad('An image or a file can be in the last message only. A session keeps those of earlier messages.');
}

/** An item that may be the result of a call. */
interface SentResult {
  callId?: string | undefined;
  result?: unknown;
}

/** Results of the client's tools after its last question. Throws Refused. */
export function resultsIn<T extends object>(
  items: readonly T[],
  isQuestion: (item: T) => boolean,
): ClientResult[] {
  const after = items.slice(throughQuestion(items, isQuestion).length);
  return after.flatMap((item: SentResult): ClientResult[] => {
    const call = readClientCall(item.callId);
    return call === undefined ? [] : [{ ...call, result: { output: resultText(item.result) } }];
  });
}

/** The text of a result that is a list of texts; any other result as it is. */
function resultText(result: unknown): unknown {
  if (!Array.isArray(result)) return result ?? '';
  const { data } = z.array(part).safeParse(result);
  if (data === undefined) throw bad('The result of a tool is a text, or a list of texts.');
  return data.map(textOf).join('\n');
}
