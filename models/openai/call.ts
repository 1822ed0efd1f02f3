import { limits } from '../../agent/limits.ts';
import { secretValues } from '../../agent/secrets.ts';
import type { ModelCallContext, ModelReply, ModelRequest } from '../model.ts';
import { clientOf } from './client.ts';
import { startDeadline } from './request-timeout.ts';
import type { Asked, SettingNames } from './errors.ts';
import { classifyError, timedOut } from './errors.ts';
import { refusedParam, refusedWarning, withoutParam } from './refused.ts';
import { writeBody } from './kept-body.ts';
import { readReply } from './read-reply.ts';
import type { WireRequest } from './request-body.ts';
import { buildRequest } from './request-body.ts';

/** Where to send a request, and with which key. */
export interface OpenAIConnection {
  baseURL: string;
  apiKey: string;
  /** Default: as a bearer token. Azure has a header of its own for keys. */
  keyHeader?: 'api-key' | undefined;
  query?: { [name: string]: string } | undefined;
  /** How the settings are called that a message may have to name. */
  names: SettingNames;
}

export interface CallOptions extends OpenAIConnection {
  headers: { [name: string]: string };
  /** What the model thought goes back to a server that says it. */
  returnsThoughts: boolean;
  /** What each model refused so far, so that later calls do not pay twice. Lives as long as the adapter. */
  refused: Map<string, string[]>;
}

/** One model call: a request, and again without a field for each one that the model refuses. */
export async function callOpenAI(
  request: ModelRequest,
  context: ModelCallContext,
  options: CallOptions,
): Promise<ModelReply> {
  const timeoutMs = Math.min(Math.max(Math.ceil(request.params.requestTimeoutMs), 1), limits.timerMs);
  const { baseURL, apiKey, headers, names } = options;
  const secrets = [apiKey, ...secretValues(Object.entries(headers))]; // gateways have keys of their own
  const { model } = request;
  const asked: Asked = { baseURL, secrets, model, api: request.params.api, timeoutMs, names };
  let wire = buildRequest(request);
  for (const param of options.refused.get(request.model) ?? []) wire = dropParam(wire, param);
  const dropped: string[] = [];
  // Ends: each round changes something that no round before it did.
  for (;;) {
    try {
      const reply = await ask(wire, request, context, options, asked);
      const warnings = remember(options.refused, request.model, dropped);
      return warnings.length === 0 ? reply : { ...reply, warnings };
    } catch (error) {
      const param = refusedParam(error, wire.body);
      if (param === undefined || dropped.includes(param)) throw classifyError(error, asked);
      wire = dropParam(wire, param);
      dropped.push(param);
    }
  }
}

/** One HTTP request. Throws the caller's abort reason, ModelTimeout, or what the client or the reader threw. */
async function ask(
  { path, body }: WireRequest,
  { stop }: ModelRequest,
  context: ModelCallContext,
  { headers, apiKey, keyHeader, query, returnsThoughts }: CallOptions,
  asked: Asked,
): Promise<ModelReply> {
  context.signal.throwIfAborted();
  const client = clientOf({ baseURL: asked.baseURL, apiKey });
  const deadline = startDeadline(context.signal, asked.timeoutMs);
  try {
    const { signal } = deadline;
    const own = keyHeader === undefined ? headers : { ...headers, authorization: null, [keyHeader]: apiKey };
    const response = await client
      .post(path, {
        body: writeBody(body, conversationOf(context)),
        query,
        headers: { 'content-type': 'application/json', ...own },
        signal,
        timeout: asked.timeoutMs,
      })
      .asResponse();
    context.onText('');
    const onText = (piece: string) => context.onText(piece);
    const onReasoning = (piece: string) => context.onReasoning?.(piece);
    return await readReply(response, {
      client,
      stream: body['stream'] === true,
      step: context.step,
      asked,
      stop,
      returnsThoughts,
      onText,
      onReasoning,
      onPiece() {
        deadline.heard();
        // Arguments of tool calls and hidden thoughts bring no text: a sign of life all the same.
        context.onText('');
      },
    });
  } catch (error) {
    deadline.cut();
    context.signal.throwIfAborted();
    throw deadline.passed() ? timedOut(asked) : error;
  } finally {
    deadline.end();
  }
}

/** The model calls of one `runAgent`: each goes on from the one before. A tool's own requests are kept apart. */
function conversationOf({ runId, step }: ModelCallContext): string {
  const scope = step.slice(0, step.lastIndexOf('/') + 1);
  return `${runId} ${scope}${step.includes('.') ? step : ''}`;
}

function dropParam(wire: WireRequest, param: string): WireRequest {
  return { path: wire.path, body: withoutParam(wire.body, param) };
}

/** Keeps what is newly learned and returns the warnings for it. */
function remember(refused: Map<string, string[]>, model: string, dropped: string[]): string[] {
  const known = refused.get(model) ?? [];
  const learned = dropped.filter((param) => !known.includes(param));
  refused.set(model, [...known, ...learned]);
  return learned.map((param) => refusedWarning(model, param));
}
