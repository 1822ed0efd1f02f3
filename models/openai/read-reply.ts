import type { OpenAI } from 'openai';
import { APIError } from 'openai';
import { Stream } from 'openai/streaming';
import { limits } from '../../agent/limits.ts';
import { stopCutter } from '../../agent/reply/stop.ts';
import type { ModelReply } from '../model.ts';
import { ModelError } from '../model.ts';
import { LINE_BYTES, boundedBody, boundedLines } from './bounded-body.ts';
import type { Draft } from './reply-draft.ts';
import { addPiece, asReply, emptyDraft } from './reply-draft.ts';
import { type Asked, quoted, reasonOf } from './errors.ts';

const SHOWN_CHARS = 200;
const TOO_LONG = `more than ${limits.responseBytes / 1e6} MB`;
const LINE_TOO_LONG = `a line of more than ${LINE_BYTES / 1e6} MB`;

export interface ReadOptions {
  client: OpenAI;
  /** Was a stream asked for? A server may still answer in one piece. */
  stream: boolean;
  /** The model call, `3`. */
  step: string;
  asked: Asked;
  /** The request's stop strings: some servers do not keep to them. */
  stop: readonly string[];
  /** What the model thought goes back to the server that said it. */
  returnsThoughts: boolean;
  onText(piece: string): void;
  onReasoning(piece: string): void;
  /** Called for each piece of an answer, with text or not. */
  onPiece(): void;
}

/**
 * Reads the body of a 200 response. Throws {@link ModelError}, or the client's APIError for an error that the
 * provider put inside.
 */
export async function readReply(response: Response, options: ReadOptions): Promise<ModelReply> {
  const type = response.headers.get('content-type') ?? '';
  const streamed = type.includes('event-stream') || (options.stream && !/json|html/.test(type));
  return streamed ? readStream(response, options) : readWhole(response, options);
}

async function readWhole(
  response: Response,
  { step, asked, returnsThoughts, onPiece }: ReadOptions,
): Promise<ModelReply> {
  const text = await boundedBody(response, onPiece).catch((error: unknown) => {
    const message = `The connection to ${response.url} broke within the reply (${quoted(reasonOf(error), asked)}).`;
    throw new ModelError('ModelConnectionError', message, { retryable: true });
  });
  if (text === undefined) throw invalid(response, asked, TOO_LONG);
  const json = parseJson(text, response, asked);
  throwErrorInside(json, response);
  const draft = emptyDraft();
  if (addPiece(draft, json) === undefined || !draft.started)
    throw invalid(response, asked, 'no choices', text);
  return asReply(draft, step, returnsThoughts);
}

/**
 * What is behind a stop string, or more than can be recorded, is not waited for: leaving the loop ends the request. Of the
 * usage what was sent by then is kept.
 */
async function readStream(response: Response, options: ReadOptions): Promise<ModelReply> {
  const watched = watchForDone(boundedLines(response, () => invalid(response, options.asked, LINE_TOO_LONG)));
  const draft = emptyDraft();
  const cutter = stopCutter(options.stop);
  const reply = (read: Draft) => asReply(read, options.step, options.returnsThoughts);
  try {
    for await (const piece of streamOf(response, watched.pieces, options.client)) {
      options.onPiece();
      const added = addPiece(draft, piece);
      if (added === undefined)
        throw invalid(response, options.asked, 'a piece without choices', JSON.stringify(piece));
      if (added.thought !== '') options.onReasoning(added.thought);
      if (added.text !== '') options.onText(added.text);
      cutter.push(added.text);
      if (cutter.stopped) return reply({ ...draft, finishReason: draft.finishReason ?? 'stop' });
      if (draft.length > limits.replyBytes) return reply({ ...draft, finishReason: 'length' });
    }
  } catch (error) {
    if (error instanceof APIError || error instanceof ModelError) throw error;
    if (error instanceof SyntaxError)
      throw invalid(response, options.asked, 'a piece that is not JSON', error.message);
    throw streamCut(response, draft, quoted(reasonOf(error), options.asked));
  }
  if (draft.finishReason === undefined && !watched.done()) {
    throw streamCut(response, draft, 'no finish reason and no [DONE] came');
  }
  if (!draft.started) throw invalid(response, options.asked, 'a stream without choices');
  return reply(draft);
}

/** The client's reader for server-sent events; leaving it ends the request. */
function streamOf(
  { headers }: Response,
  body: AsyncIterable<Uint8Array>,
  client: OpenAI,
): AsyncIterable<unknown> {
  // Of a response the reader takes these two, and of a body anything that can be iterated over.
  const response = { headers, body } as unknown as Response;
  return Stream.fromSSEResponse<unknown>(response, new AbortController(), client);
}

/** Some servers give no finish reason but do say `[DONE]`; the client's reader swallows that, so the bytes are watched. */
function watchForDone(pieces: AsyncIterable<Uint8Array>): {
  pieces: AsyncIterable<Uint8Array>;
  done(): boolean;
} {
  let tail = '';
  return {
    pieces: (async function* () {
      for await (const piece of pieces) {
        tail = (tail + Buffer.from(piece.subarray(-TAIL_BYTES)).toString('latin1')).slice(-TAIL_BYTES);
        yield piece;
      }
    })(),
    done: () => /(^|\n)data: ?\[DONE\]\s*$/.test(tail),
  };
}

const TAIL_BYTES = 32;

function parseJson(text: string, response: Response, asked: Asked): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(
      response,
      asked,
      text.trimStart().startsWith('<') ? 'HTML' : 'something that is not JSON',
      text,
    );
  }
}

/** Gateways send errors with status 200 too. */
function throwErrorInside(json: unknown, { headers }: Response): void {
  const error = errorIn(json) ?? errorIn(firstChoice(json));
  if (error === undefined) return;
  // Of a text the client would make JSON.
  throw new APIError(undefined, typeof error === 'string' ? { message: error } : error, undefined, headers);
}

function errorIn(json: unknown): object | string | undefined {
  if (json === null || typeof json !== 'object' || !('error' in json)) return undefined;
  const { error } = json;
  return error && (typeof error === 'object' || typeof error === 'string') ? error : undefined;
}

/** OpenRouter puts the failure of the provider behind it beside the message (openrouter.ai/docs/api/reference/errors-and-debugging). */
function firstChoice(json: unknown): unknown {
  if (json === null || typeof json !== 'object' || !('choices' in json)) return undefined;
  return Array.isArray(json.choices) ? (json.choices[0] as unknown) : undefined;
}

function invalid({ url }: Response, asked: Asked, what: string, text = ''): ModelError {
  const shown = text === '' ? '' : ` (${quoted(text, asked, SHOWN_CHARS)})`;
  return new ModelError(
    'ModelInvalidResponse',
    `The model at ${url} sent ${what}${shown}. If this stays, check the base URL: it usually ends in /v1.`,
    { retryable: true },
  );
}

function streamCut({ url }: Response, { text }: Draft, why: string): ModelError {
  const message = `The stream from ${url} broke off after ${text.length} characters: ${why}.`;
  return new ModelError('ModelStreamCut', message, { retryable: true });
}
