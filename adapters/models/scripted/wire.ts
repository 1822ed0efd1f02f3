import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { JsonObject } from '../../../agent/values/vocabulary.ts';
import {
  finishReasonOf,
  headOf,
  isChat,
  piecesOf,
  textOf,
  toolCallDeltas,
  usageOf,
  wantsUsage,
  wholeBody,
} from './response-body.ts';
import { type RecordedRequest, type ScriptedReply, complaint } from './script.ts';

/** One request that is being answered. `signal` is aborted when the connection is gone. */
export interface Exchange {
  request: RecordedRequest;
  response: ServerResponse;
  signal: AbortSignal;
}

/** Sends a scripted reply in the OpenAI protocol. Rejects if the connection goes away. */
export async function sendReply(exchange: Exchange, reply: ScriptedReply): Promise<void> {
  await wait(exchange, reply.delayMs);
  const stream = exchange.request.body['stream'] === true;
  if (reply.rawBody !== undefined) return sendRaw(exchange, reply, stream, reply.rawBody);
  if (isHttpError(reply)) return sendError(exchange, reply);
  if (reply.toolCalls !== undefined && !isChat(exchange.request)) {
    return sendError(exchange, complaint('Only chat completions can carry toolCalls.'));
  }
  return stream ? sendStream(exchange, reply) : sendWhole(exchange, reply);
}

/** A text or chunks beside an error mean: first these, then the error, inside the stream. */
function isHttpError({ status = 200, error, text, chunks }: ScriptedReply): boolean {
  return status >= 400 || (error !== undefined && text === undefined && chunks === undefined);
}

function sendRaw(
  { response }: Exchange,
  { status, headers }: ScriptedReply,
  stream: boolean,
  body: string,
): void {
  const type = stream ? 'text/event-stream' : 'application/json';
  response.writeHead(status ?? 200, { 'content-type': type, ...headers });
  response.end(body);
}

function sendError({ response }: Exchange, { status = 400, error, headers }: ScriptedReply): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(errorBody(error ?? { message: `Scripted error ${status}.` })));
}

async function sendWhole(exchange: Exchange, reply: ScriptedReply): Promise<void> {
  if (reply.hang === true) return silence(exchange);
  const body = reply.error === undefined ? wholeBody(exchange.request, reply) : errorBody(reply.error);
  const text = JSON.stringify(body);
  exchange.response.writeHead(reply.status ?? 200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...reply.headers,
  });
  if (reply.cutAfterChunks === undefined) return void exchange.response.end(text);
  await write(exchange, text.slice(0, text.length / 2));
  exchange.response.destroy();
}

async function sendStream(exchange: Exchange, reply: ScriptedReply): Promise<void> {
  const { request, response } = exchange;
  const text = textOf(request, reply);
  const pieces = piecesOf(text, reply.chunks);
  if (reply.hang === true && pieces.length === 0) return silence(exchange);
  response.writeHead(reply.status ?? 200, { 'content-type': 'text/event-stream', ...reply.headers });
  response.flushHeaders();
  const choice = (content: JsonObject, finish: string | null) =>
    sendEvent(exchange, {
      ...headOf(request, true),
      choices: [{ index: 0, ...content, finish_reason: finish }],
    });

  for (const reasoning_content of isChat(request) ? piecesOf(reply.reasoning ?? '', undefined) : []) {
    await choice({ delta: { role: 'assistant', content: null, reasoning_content } }, null);
  }
  for (const [index, piece] of pieces.slice(0, reply.cutAfterChunks).entries()) {
    if (index > 0) await wait(exchange, reply.chunkDelayMs);
    await choice(isChat(request) ? { delta: { role: 'assistant', content: piece } } : { text: piece }, null);
  }
  if (reply.cutAfterChunks !== undefined) return void response.destroy();
  if (reply.hang === true) return silence(exchange);
  if (reply.error !== undefined) {
    await sendEvent(exchange, errorBody(reply.error));
    return void response.end();
  }
  for (const delta of toolCallDeltas(request, reply)) await choice({ delta }, null);
  await choice(isChat(request) ? { delta: {} } : { text: '' }, finishReasonOf(reply));
  const usage = wantsUsage(request) ? usageOf(request, reply, text) : {};
  if (usage.usage !== undefined)
    await sendEvent(exchange, { ...headOf(request, true), choices: [], ...usage });
  response.end('data: [DONE]\n\n');
}

function errorBody({ message, type, code, param }: NonNullable<ScriptedReply['error']>): JsonObject {
  return { error: { message, type: type ?? 'scripted_error', param: param ?? null, code: code ?? null } };
}

function sendEvent(exchange: Exchange, body: JsonObject): Promise<void> {
  return write(exchange, `data: ${JSON.stringify(body)}\n\n`);
}

/** Resolves when the bytes have left, so that a cut comes after them. */
async function write({ response, signal }: Exchange, text: string): Promise<void> {
  signal.throwIfAborted();
  await new Promise((resolve) => response.write(text, resolve));
}

/** The timer keeps no process alive: the client that waits does. */
async function wait({ signal }: Exchange, ms: number | undefined): Promise<void> {
  if (ms !== undefined) await delay(ms, undefined, { signal, ref: false });
}

async function silence({ signal }: Exchange): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
