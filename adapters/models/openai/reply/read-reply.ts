import { APIError, type OpenAI } from 'openai';
import { Stream } from 'openai/streaming';
import { isBrokenOff } from '../../../../agent/model-reply/finish-reason.ts';
import { limits } from '../../../../agent/values/limits.ts';
import { connectionProblem, firstText } from '../../../../agent/values/http-exchange.ts';
import { fieldsOf, parseJson } from '../../../../agent/values/json-object.ts';
import { shownUrl } from '../../../../agent/text/shown-url.ts';
import { stopCutter } from '../../../../agent/reply/stop.ts';
import { type ModelCallContext, ModelError, type ModelReply } from '../../model.ts';
import { EVENT_BYTES, eventStream } from '../transport/event-stream.ts';
import { type Draft, addPiece, asReply, emptyDraft } from './reply-draft.ts';
import { type RequestContext, afterBegin, quoted } from '../errors.ts';

const SHOWN_CHARS = 200;
const TOO_LONG = `more than ${limits.responseBytes / 1e6} MB`;
const EVENT_TOO_LONG = `an event of more than ${EVENT_BYTES / 1e6} MB`;

export interface ReadOptions {
  client: OpenAI;
  /** Each piece of an answer is reported: arguments of tool calls and hidden thoughts bring no text, but are a sign of life. */
  context: ModelCallContext;
  /** Was a stream asked for? A server may still answer in one piece. */
  stream: boolean;
  asked: RequestContext;
  /** The request's stop strings: some servers do not keep to them. */
  stop: readonly string[];
  /** The reasoning goes back to the server that sent it. */
  returnsReasoning: boolean;
  /** Closes the connection, whatever is still unread. */
  cut(): void;
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
  { context, asked, returnsReasoning }: ReadOptions,
): Promise<ModelReply> {
  const onPiece = () => context.onText('');
  const body = firstText(response.body, limits.responseBytes, new TextDecoder(), onPiece);
  const { text, cut } = await body.catch((error: unknown) => {
    const message = `The connection to ${shownUrl(response.url)} broke within the reply (${quoted(connectionProblem(error), asked)}).`;
    throw new ModelError('ModelConnectionError', message, { retryable: true });
  });
  if (cut) throw invalid(response, asked, TOO_LONG);
  const json = parseJson(text);
  if (json === undefined) {
    const what = text.trimStart().startsWith('<') ? 'HTML' : 'something that is not JSON';
    throw invalid(response, asked, what, text);
  }
  throwErrorInside(json, response);
  const draft = emptyDraft();
  const added = addPiece(draft, json);
  if ('problem' in added) throw invalid(response, asked, added.problem, text, added.advice);
  if (!draft.started) throw invalid(response, asked, 'no choices', text);
  checkEnd(draft, response, false);
  return asReply(draft, context.step, returnsReasoning);
}

/**
 * Ends the request by leaving the loop at a stop string, or at more text than can be recorded. Keeps the usage that was
 * sent by then.
 */
async function readStream(response: Response, options: ReadOptions): Promise<ModelReply> {
  const { context, cut, asked } = options;
  const events = eventStream(response, { cut, tooLong: () => invalid(response, asked, EVENT_TOO_LONG) });
  const draft = emptyDraft();
  const cutter = stopCutter(options.stop);
  const reply = (read: Draft) => asReply(read, context.step, options.returnsReasoning);
  try {
    for await (const piece of streamOf(response, events.pieces, options.client)) {
      context.onText('');
      throwErrorInside(piece, response);
      const added = addPiece(draft, piece);
      if ('problem' in added)
        throw invalid(response, asked, added.problem, JSON.stringify(piece), added.advice);
      if (added.thought !== '') context.onReasoning?.(added.thought);
      if (added.text !== '') context.onText(added.text);
      cutter.push(added.text);
      if (cutter.stopped) return reply({ ...draft, finishReason: draft.finishReason ?? 'stop' });
      if (draft.length > limits.replyBytes) return reply({ ...draft, finishReason: 'length' });
    }
  } catch (error) {
    if (error instanceof APIError && draft.started) throw afterBegin(error);
    if (error instanceof APIError || error instanceof ModelError) throw error;
    if (error instanceof SyntaxError)
      throw invalid(response, asked, 'a piece that is not JSON', error.message);
    throw streamCut(response, draft, quoted(connectionProblem(error), asked));
  }
  if (draft.finishReason === undefined && !events.done()) {
    if (events.bytes() === 0) throw new EmptyStream(shownUrl(response.url));
    throw streamCut(response, draft, 'no finish reason and no [DONE] came');
  }
  if (!draft.started) throw invalid(response, asked, 'a stream without choices');
  checkEnd(draft, response, true);
  return reply(draft);
}

/**
 * Throws for a reply that is not whole: the provider says that it broke off, or no reason to finish ever came where each piece
 * said that there was none yet. llama-cpp-python ends a stream so when another request arrives; Ollama sends null when it stops
 * a model that repeats itself.
 */
function checkEnd({ finishReason, awaitsReason, text }: Draft, { url }: Response, isStream: boolean): void {
  const isOpen = finishReason === undefined && awaitsReason;
  if (!isOpen && (finishReason === undefined || !isBrokenOff(finishReason))) return;
  const what = isStream ? 'The stream' : 'The reply';
  const why = isOpen ? 'it ended without a finish reason' : `its finish reason is "${finishReason}"`;
  const message = `${what} from ${shownUrl(url)} broke off after ${text.length} characters: ${why}.`;
  throw new ModelError('ModelStreamCut', message, { retryable: true });
}

/** A 200 without a byte: llama-cpp-python answers a prompt that is too long so, and says it only without `stream`. */
export class EmptyStream extends ModelError {
  constructor(url: string) {
    super('ModelStreamCut', `The stream from ${url} broke off before its first event.`, { retryable: true });
  }
}

/** The client's reader for server-sent events; leaving it ends the request. */
function streamOf(
  { headers }: Response,
  body: AsyncIterable<Uint8Array>,
  client: OpenAI,
): AsyncIterable<unknown> {
  // The reader uses these two fields of a response; a body may be anything that can be iterated over.
  const response = { headers, body } as unknown as Response;
  return Stream.fromSSEResponse<unknown>(response, new AbortController(), client);
}

/** Gateways send errors with status 200 too. */
function throwErrorInside(json: unknown, { headers }: Response): void {
  const error = errorIn(json) ?? errorIn(firstChoice(json));
  if (error === undefined) return;
  // The client would make JSON of a text.
  throw new APIError(undefined, typeof error === 'string' ? { message: error } : error, undefined, headers);
}

function errorIn(json: unknown): object | string | undefined {
  const { error } = fieldsOf(json);
  return error && (typeof error === 'object' || typeof error === 'string') ? error : undefined;
}

/** OpenRouter puts the failure of the provider behind it beside the message (openrouter.ai/docs/api/reference/errors-and-debugging). */
function firstChoice(json: unknown): unknown {
  const { choices } = fieldsOf(json);
  return Array.isArray(choices) ? (choices[0] as unknown) : undefined;
}

function invalid(
  response: Response,
  asked: RequestContext,
  what: string,
  text = '',
  advice = CHECK_URL,
): ModelError {
  const shown = text === '' ? '' : ` (${quoted(text, asked, SHOWN_CHARS)})`;
  const message = `The model at ${shownUrl(response.url)} sent ${what}${shown}.${advice}`;
  return new ModelError('ModelInvalidResponse', message, { retryable: true });
}

const CHECK_URL = ' If this stays, check the base URL: it usually ends in /v1.';

function streamCut({ url }: Response, { text }: Draft, why: string): ModelError {
  const message = `The stream from ${shownUrl(url)} broke off after ${text.length} characters: ${why}.`;
  return new ModelError('ModelStreamCut', message, { retryable: true });
}
