import { z } from 'zod';
import type { Json } from '../../agent/values/vocabulary.ts';
import type { Model, ModelCallContext, ModelReply } from '../../adapters/models/model.ts';
import { type LoopbackAnswer, loopback } from './loopback.ts';
import { callContext, modelRequest } from './model-calls.ts';

/** A request as a rebuilt provider sees it. */
export interface ProviderRequest {
  path: string;
  headers: { [name: string]: unknown };
  body: z.output<typeof Body>;
}

const Message = z.looseObject({
  role: z.string(),
  tool_calls: z.array(z.looseObject({ id: z.string() })).optional(),
});
const Body = z.looseObject({ messages: z.array(Message), stream: z.boolean().optional() });

export interface Provider {
  url: string;
  requests: ProviderRequest[];
}

/** A server on the loopback interface that answers as a provider is known to. */
export async function provider(answer: (request: ProviderRequest) => LoopbackAnswer): Promise<Provider> {
  const requests: ProviderRequest[] = [];
  const { url } = await loopback(({ method, path, headers, body }) => {
    if (method === 'GET') return { status: 404 }; // it tells nothing about its models
    const request = { path, headers, body: Body.parse(JSON.parse(body)) };
    requests.push(request);
    return answer(request);
  });
  return { url, requests };
}

/** Chunks of a stream, each one choice's delta, and the reason to finish. */
export function deltas(list: { [field: string]: Json }[], finish: string, more: Json[] = []): LoopbackAnswer {
  const chunks = list.map((delta): Json => ({ choices: [{ index: 0, delta, finish_reason: null }] }));
  const last: Json = { choices: [{ index: 0, delta: {}, finish_reason: finish }] };
  return events([...chunks, last, ...more]);
}

export function events(list: Json[]): LoopbackAnswer {
  const lines = list.map((event) => `data: ${JSON.stringify(event)}\n\n`);
  return { headers: { 'content-type': 'text/event-stream' }, body: `${lines.join('')}data: [DONE]\n\n` };
}

export function whole(
  message: { [field: string]: Json },
  finish: string,
  more: { [field: string]: Json } = {},
): LoopbackAnswer {
  return json(200, {
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }],
    ...more,
  });
}

export function json(status: number, body: Json): LoopbackAnswer {
  return { status, headers: { 'content-type': 'application/json' }, body };
}

export function hasResult({ body }: ProviderRequest): boolean {
  return body.messages.some(({ role }) => role === 'tool');
}

/** The message of the first turn, as the provider got it back. */
export function shownAgain({ requests }: Provider): unknown {
  return requests.at(-1)?.body.messages.find(({ role }) => role === 'assistant');
}

/** A question, the tool calls that it makes, and what the model says to their results. */
export async function toolTurn(
  model: Model,
  stream = true,
  context: Partial<ModelCallContext> = {},
): Promise<{ first: ModelReply; second: ModelReply }> {
  const tools = [{ name: 'weather', description: 'Tells the weather.', parameters: { type: 'object' } }];
  const question = { role: 'user', content: 'Weather in Rome?' } as const;
  const ask = (
    messages: Extract<ReturnType<typeof modelRequest>['prompt'], { type: 'messages' }>['messages'],
  ) =>
    model.call(
      modelRequest({ stream }, { prompt: { type: 'messages', messages, tools } }),
      callContext(context),
    );
  const first = await ask([question]);
  const { text, toolCalls, reasoning, providerData } = first;
  const content = text === '' ? null : text;
  const back = providerData === undefined ? {} : { reasoning, providerData };
  const second = await ask([
    question,
    { role: 'assistant', content, toolCalls, ...back },
    ...toolCalls.map(({ id }) => ({ role: 'tool', content: 'sunny', toolCallId: id }) as const),
  ]);
  return { first, second };
}

export function call(id: string, more: { [field: string]: Json } = {}): { [field: string]: Json } {
  return { id, type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' }, ...more };
}
