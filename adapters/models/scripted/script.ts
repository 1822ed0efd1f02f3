import type { Json } from '../../../agent/values/vocabulary.ts';

/** The scripted server's answer to one request. A plain text is `{ text }`. */
export interface ScriptedReply {
  text?: string;
  /** Reasoning before the text, as `reasoning_content`; a stream sends it word by word. */
  reasoning?: string;
  /** `arguments` may be the object, or the exact text (also a broken one). */
  toolCalls?: { name: string; arguments: Json; id?: string }[];
  /** Pieces of the text in a stream. Default: split after each word. Without `text`, this is the text. */
  chunks?: string[];
  finishReason?: string;
  /** Default: one token for every four characters. null: none is sent. */
  usage?: { promptTokens: number; completionTokens: number; cachedTokens?: number } | null;

  /** Wait before anything is sent, and before each further chunk. */
  delayMs?: number;
  chunkDelayMs?: number;
  /** Do as servers do that know no `stop`: send the whole text. */
  ignoreStop?: boolean;

  /** An HTTP error; without `status`, and with text or chunks, an error inside the stream after them. */
  status?: number;
  error?: { message: string; type?: string; code?: string; param?: string };
  headers?: { [name: string]: string };
  /** The body exactly as given, for answers that break the protocol. */
  rawBody?: string;
  /** Breaks the connection after so many chunks; a reply that is not streamed breaks in its middle. */
  cutAfterChunks?: number;
  /** Never ends: with text or chunks, a stream falls silent after them. */
  hang?: boolean;

  /** Repeats this entry of an array so many times. */
  times?: number;
}

export type ScriptEntry = string | ScriptedReply;

/** Replies in order, or a function that answers any request. */
export type Script =
  readonly ScriptEntry[] | ((request: RecordedRequest, index: number) => ScriptEntry | Promise<ScriptEntry>);

/** One request as the server saw it. */
export interface RecordedRequest {
  /** 1 for the first. */
  number: number;
  path: string;
  /** {} if it was not a JSON object. Images and files are in short: `[image image/png 34 KB]` in the place of the bytes. */
  body: { [field: string]: Json };
  /** The whole prompt as one text: of chat messages, their contents, one below the other. */
  prompt: string;
  /** Lower-case names; the key is blacked out. */
  headers: { [name: string]: string };
  /**
   * The iteration that asks, if the request says so (`x-reloop-step`): `3`; `3.1` for its first tool call; `1/3` where
   * it is a workflow's second agent.
   */
  step: string | undefined;
  startedAt: number;
  endedAt: number | undefined;
  /** Did the client go away before the reply was complete? */
  aborted: boolean;
}

/** Replies for single steps by name: `{ '3.1': 'the reply to ctx.complete in call 3.1' }`. */
export type StepReplies = { [step: string]: ScriptEntry };

/** Finds the reply to each request. A script that does not fit answers with an error that says so. */
export function scriptReader(
  script: Script,
  calls: StepReplies = {},
): (request: RecordedRequest) => Promise<ScriptedReply> {
  const entries = typeof script === 'function' ? [] : expand(script);
  let inOrder = 0;
  return async (request) => {
    const { step } = request;
    // A script may name `1/3`, the third step of a second agent, as plain `3`.
    const call = step?.replace(/^\d+\//, '');
    const named = calls[step ?? ''] ?? calls[call ?? ''];
    if (named !== undefined) return asReply(named);
    if (typeof script === 'function') return fromFunction(script, request);
    if (call === undefined)
      return entries[inOrder++] ?? usedUp(entries.length, `request ${inOrder}`, request);
    if (/^\d+$/.test(call))
      return entries[Number(call) - 1] ?? usedUp(entries.length, `step ${step}`, request);
    return complaint(
      `No reply for step ${step}: give the scripted model \`calls: { '${step}': '…' }\`.${asksWhat(request)}`,
    );
  };
}

function expand(script: readonly ScriptEntry[]): ScriptedReply[] {
  return script.flatMap((entry) => {
    const reply = asReply(entry);
    return Array.from({ length: reply.times ?? 1 }, () => reply);
  });
}

async function fromFunction(
  script: Exclude<Script, readonly ScriptEntry[]>,
  request: RecordedRequest,
): Promise<ScriptedReply> {
  try {
    return asReply(await script(request, request.number - 1));
  } catch (error) {
    return complaint(`The script threw at request ${request.number}: ${String(error)}`);
  }
}

function asReply(entry: ScriptEntry): ScriptedReply {
  return typeof entry === 'string' ? { text: entry } : entry;
}

function usedUp(count: number, asked: string, request: RecordedRequest): ScriptedReply {
  const replies = count === 1 ? 'reply' : 'replies';
  return complaint(`The script has ${count} ${replies} and this is ${asked}.${asksWhat(request)}`);
}

const SHOWN_CHARS = 300;

/** Shows the end of a request that the script has no reply to. */
function asksWhat({ prompt }: RecordedRequest): string {
  const end = prompt.trim().slice(-SHOWN_CHARS);
  return end === '' ? '' : ` It was asked: …${end}`;
}

/** Status 400, so that no client tries again: the mistake is in the script or in the request. */
export function complaint(message: string): ScriptedReply {
  return { status: 400, error: { message, type: 'scripted_model', code: 'scripted_model' } };
}
