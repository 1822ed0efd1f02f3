import { LRUCache } from 'lru-cache';
import { APIError, OpenAI } from 'openai';
import { limits } from '../../../agent/values/limits.ts';
import { isSecretKey, secretValues } from '../../../agent/text/secrets.ts';
import { shownUrl } from '../../../agent/text/shown-url.ts';
import type { ModelCallContext, ModelReply, ModelRequest } from '../model.ts';
import { type RequestContext, type SettingNames, classifyError, isAPIError } from './errors.ts';
import { type KnownRepairs, askWithRepairs } from '../repairs.ts';
import { unsupportedParam, unsupportedWarning, withoutParam } from './request/unsupported-params.ts';
import { rateLimitOf } from './reply/limit-headers.ts';
import { EmptyStream, readReply } from './reply/read-reply.ts';
import { withCacheMarks } from './request/cache-marks.ts';
import { type WireRequest, buildRequest } from './request/request-body.ts';
import { undiciFetch } from './transport/undici-fetch.ts';

/** Address and key for requests. */
export interface OpenAIConnection {
  baseURL: string;
  apiKey: string;
  /** Default: as a bearer token. Azure has a separate header for keys. */
  keyHeader?: 'api-key' | undefined;
  query?: { [name: string]: string } | undefined;
  names: SettingNames;
}

export interface CallOptions extends OpenAIConnection {
  headers: { [name: string]: string };
  /** Reasoning goes back to the server that returned it. */
  returnsReasoning: boolean;
  /** Prompts of messages get marks for the provider's cache. */
  cacheControl: boolean;
  /**
   * Parameters that each model has rejected so far, so that later calls need no second request. Lives as long as the
   * adapter.
   */
  unsupported: Map<string, string[]>;
  repairs: KnownRepairs;
}

/** One model call: a request, repeated without each field that the model refuses, and with the prompt in the form that it wants. */
export async function callOpenAI(
  request: ModelRequest,
  context: ModelCallContext,
  options: CallOptions,
): Promise<ModelReply> {
  const { baseURL, apiKey, headers, names } = options;
  // A header may hold the key of a gateway.
  const secrets = [apiKey, ...secretValues(Object.entries(headers))].filter(isSecretKey);
  const { model, params } = request;
  const isProbe = context.step === 'probe';
  const asked: RequestContext = {
    endpoint: shownUrl(baseURL),
    secrets,
    model,
    api: params.api,
    isProbe,
    names,
  };
  try {
    const askOnce = (sent: ModelRequest) => askWithoutRefused(sent, context, options, asked);
    const { answer, warnings } = await askWithRepairs(request, options.repairs, askOnce, refusalIn);
    const all = [...(answer.warnings ?? []), ...warnings];
    return all.length === 0 ? answer : { ...answer, warnings: all };
  } catch (error) {
    throw classifyError(error, asked);
  }
}

/** The provider's words in a refusal. llama.cpp answers a template's refusal with status 500; an error in a stream has no status. */
function refusalIn(error: unknown): string | undefined {
  if (!isAPIError(error)) return undefined;
  const status: number | undefined = error.status;
  return [400, 404, 422, 500, undefined].includes(status) ? `${error.code} ${error.message}` : undefined;
}

async function askWithoutRefused(
  request: ModelRequest,
  context: ModelCallContext,
  options: CallOptions,
  asked: RequestContext,
): Promise<ModelReply> {
  const { model } = request;
  const built = buildRequest(request);
  // A prompt of one text grows within its one message, so that nothing after a mark would be found again.
  let wire = options.cacheControl && request.prompt.type === 'messages' ? withCacheMarks(built) : built;
  for (const param of options.unsupported.get(model) ?? []) wire = dropParam(wire, param);
  const dropped: string[] = [];
  // Ends: each round changes something that no round before it did.
  for (;;) {
    try {
      const reply = await ask(wire, request, context, options, asked);
      const warnings = remember(options.unsupported, model, dropped);
      return warnings.length === 0 ? reply : { ...reply, warnings };
    } catch (error) {
      if (error instanceof EmptyStream && wire.body['stream'] === true) {
        wire = dropParam(wire, 'stream'); // once, and not remembered: the reply may say what is wrong
        continue;
      }
      const param = unsupportedParam(error, wire.body);
      if (param === undefined || dropped.includes(param)) throw error;
      wire = dropParam(wire, param);
      dropped.push(param);
    }
  }
}

/**
 * One HTTP request, which ends with the caller's signal: the caller keeps the time-out. Throws the signal's reason, or
 * the error of the client or the reader.
 */
async function ask(
  { path, body }: WireRequest,
  { stop }: ModelRequest,
  context: ModelCallContext,
  { baseURL, headers, apiKey, keyHeader, query, returnsReasoning }: CallOptions,
  asked: RequestContext,
): Promise<ModelReply> {
  context.signal.throwIfAborted();
  const client = clientOf({ baseURL, apiKey });
  const connection = new AbortController();
  const cut = () => connection.abort(context.signal.reason);
  context.signal.addEventListener('abort', cut, { once: true });
  try {
    const own = keyHeader === undefined ? headers : { ...headers, authorization: null, [keyHeader]: apiKey };
    const response = await client
      .post(path, {
        body: JSON.stringify(body),
        query,
        headers: { 'content-type': 'application/json', ...own },
        signal: connection.signal,
        timeout: limits.timerMs,
      })
      .asResponse();
    context.onText('');
    notifyOfLimit(context, response.headers);
    const stream = body['stream'] === true;
    return await readReply(response, { client, context, stream, asked, stop, returnsReasoning, cut });
  } catch (error) {
    cut();
    context.signal.throwIfAborted();
    if (error instanceof APIError) notifyOfLimit(context, error.headers as Headers | undefined); // `any` in a narrowed class
    throw error;
  } finally {
    // A connection whose answer was read to its end stays open for the next request.
    context.signal.removeEventListener('abort', cut);
  }
}

function notifyOfLimit(context: ModelCallContext, headers: Headers | undefined): void {
  const limit = rateLimitOf(headers);
  if (limit !== undefined) context.onRateLimit?.(limit);
}

function dropParam({ path, body }: WireRequest, param: string): WireRequest {
  return { path, body: withoutParam(body, param) };
}

/** Remembers newly refused fields and returns the warnings for them. */
function remember(unsupported: Map<string, string[]>, model: string, dropped: string[]): string[] {
  const known = unsupported.get(model) ?? [];
  const learned = dropped.filter((param) => !known.includes(param));
  unsupported.set(model, [...known, ...learned]);
  return learned.map((param) => unsupportedWarning(model, param));
}

/** More endpoints and keys than a process asks in turn; a token of Entra is another key every hour. */
const MOST_CLIENTS = 100;

const clients = new LRUCache<string, OpenAI>({ max: MOST_CLIENTS });

/** One client for each endpoint and key: to make one takes longer than to ask with it. */
function clientOf({ baseURL, apiKey }: { baseURL: string; apiKey: string }): OpenAI {
  const name = `${baseURL}\n${apiKey}`;
  const known = clients.get(name);
  if (known !== undefined) return known;
  const client = new Client({ baseURL, apiKey, maxRetries: 0, logLevel: 'off', fetch: undiciFetch });
  clients.set(name, client);
  return client;
}

/** The official client; it only reads errors in the field `error`, and compatible servers put them elsewhere too. */
class Client extends OpenAI {
  protected override makeStatusError(
    ...[status, body, message, headers]: Parameters<OpenAI['makeStatusError']>
  ): ReturnType<OpenAI['makeStatusError']> {
    return super.makeStatusError(status, { error: errorIn(body) }, message, headers);
  }
}

function errorIn(body: unknown): unknown {
  if (Array.isArray(body)) return errorIn(body[0]);
  if (body === null || typeof body !== 'object') return undefined;
  if ('error' in body && body.error) {
    return typeof body.error === 'string' ? { ...body, message: body.error } : body.error;
  }
  return 'detail' in body ? { message: body.detail } : body;
}
