import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkReply } from '../../activities/model/check-reply.ts';
import type { Json } from '../../agent/values/vocabulary.ts';
import { type VercelLanguageModel, fromVercelModel } from '../../adapters/models/vercel/from-vercel-model.ts';
import { type LoopbackAnswer, loopback } from '../support/loopback.ts';
import { callContext, failureOf, modelRequest } from '../support/model-calls.ts';
import { fetchAiSdk7 } from '../support/npm-packages.ts';
import { call, deltas, json, toolTurn, whole } from '../support/provider-servers.ts';

/** Models of the providers of the AI SDK 7, as the packages come, against servers that answer as OpenAI does. */
const fetched = await fetchAiSdk7();
const title = 'missing' in fetched ? ` (skipped: no AI SDK 7 here: ${fetched.missing})` : '';

type Options = { name: string; baseURL: string; apiKey: string };
type Make = (id: string) => VercelLanguageModel;
interface Providers {
  createOpenAI(options: Options): { chat: Make; responses: Make };
  createOpenAICompatible(options: Options & { includeUsage: true }): { chatModel: Make };
}
async function providerOf(name: 'openai' | 'openai-compatible'): Promise<Providers> {
  const folder = 'missing' in fetched ? '' : fetched.folder;
  return (await import(join(folder, `node_modules/@ai-sdk/${name}/dist/index.js`))) as Providers;
}

const KINDS = ['openai chat', 'openai responses', 'openai-compatible'] as const;
type Kind = (typeof KINDS)[number];

async function modelOf(kind: Kind, url: string): Promise<VercelLanguageModel> {
  const options = { name: 'local', baseURL: `${url}/v1`, apiKey: 'k' };
  if (kind === 'openai-compatible') {
    const { createOpenAICompatible } = await providerOf(kind);
    return createOpenAICompatible({ ...options, includeUsage: true }).chatModel('m');
  }
  const { createOpenAI } = await providerOf('openai');
  const { chat, responses } = createOpenAI(options);
  return kind === 'openai chat' ? chat('m') : responses('m');
}

const usage = {
  prompt_tokens: 10,
  completion_tokens: 5,
  total_tokens: 15,
  prompt_tokens_details: { cached_tokens: 4 },
};

/** A call of the weather, and after its result a sentence. */
function chatAnswer(isStreamed: boolean, isSecond: boolean): LoopbackAnswer {
  const message = isSecond ? { content: 'Sunny.' } : { content: 'I look.', tool_calls: [call('call_1')] };
  const finish = isSecond ? 'stop' : 'tool_calls';
  if (!isStreamed) return whole(message, finish, { id: 'c', created: 1, model: 'm', usage });
  const streamed = isSecond ? message : { ...message, tool_calls: [call('call_1', { index: 0 })] };
  return deltas([streamed], finish, [{ choices: [], usage }]);
}

function responsesAnswer(isStreamed: boolean, isSecond: boolean): LoopbackAnswer {
  const said = (text: string): { [field: string]: Json } => ({
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [] }],
  });
  const called = {
    type: 'function_call',
    id: 'fc_1',
    call_id: 'call_1',
    name: 'weather',
    arguments: '{"city":"Rome"}',
    status: 'completed',
  };
  const text = isSecond ? 'Sunny.' : 'I look.';
  const output = isSecond ? [said(text)] : [said(text), called];
  const counts = { input_tokens: 10, output_tokens: 5, input_tokens_details: { cached_tokens: 4 } };
  const response = {
    id: 'resp_1',
    created_at: 1,
    model: 'm',
    output,
    usage: counts,
    incomplete_details: null,
  };
  if (!isStreamed) return json(200, response);
  return eventsOf([
    { type: 'response.created', response },
    { type: 'response.output_item.added', output_index: 0, item: said('') },
    { type: 'response.output_text.delta', item_id: 'msg_1', delta: text },
    { type: 'response.output_item.done', output_index: 0, item: said(text) },
    ...(isSecond
      ? []
      : [
          { type: 'response.output_item.added', output_index: 1, item: { ...called, arguments: '' } },
          {
            type: 'response.function_call_arguments.delta',
            item_id: 'fc_1',
            output_index: 1,
            delta: called.arguments,
          },
          { type: 'response.output_item.done', output_index: 1, item: called },
        ]),
    { type: 'response.completed', response },
  ]);
}

function eventsOf(list: Json[]): LoopbackAnswer {
  const body = list.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  return { headers: { 'content-type': 'text/event-stream' }, body };
}

/** A piece of text, and then the end of the connection or another event. */
function halfAnswer(kind: Kind, last: Json[]): LoopbackAnswer {
  const chunk = {
    id: 'c',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta: { content: 'The total is' } }],
  };
  const item = { type: 'message', id: 'msg_1', role: 'assistant', content: [] };
  const response = { id: 'resp_1', created_at: 1, model: 'm', output: [] };
  return eventsOf(
    kind === 'openai responses'
      ? [
          { type: 'response.created', response },
          { type: 'response.output_item.added', output_index: 0, item },
          { type: 'response.output_text.delta', item_id: 'msg_1', delta: 'The total is' },
          ...last,
        ]
      : [chunk, ...last],
  );
}

describe.skipIf('missing' in fetched)(`a model of the AI SDK 7${title}`, () => {
  describe.each(KINDS)('%s', (kind) => {
    const isResponses = kind === 'openai responses';
    const serve = async (answer: Parameters<typeof loopback>[0]) => {
      const server = await loopback(answer);
      const model = fromVercelModel(await modelOf(kind, server.url));
      const ask = (stream: boolean, context = callContext()) => model.call(modelRequest({ stream }), context);
      return { ...server, model, ask };
    };

    test.each([true, false])('says text and calls, and gets them back (stream: %s)', async (stream) => {
      const { model, requests } = await serve(({ body }) => {
        const isSecond = /"tool_call_id"|"function_call_output"/u.test(body);
        return isResponses ? responsesAnswer(stream, isSecond) : chatAnswer(stream, isSecond);
      });
      const { first, second } = await toolTurn(model, stream);
      expect(first).toMatchObject({
        text: 'I look.',
        toolCalls: [{ id: 'call_1', name: 'weather', arguments: '{"city":"Rome"}' }],
        finishReason: 'tool_calls',
        usage: { promptTokens: 10, completionTokens: 5, totalTokens: 15, cachedTokens: 4 },
      });
      expect(second).toMatchObject({ text: 'Sunny.', finishReason: 'stop' });
      expect(requests.map(({ path }) => path)).toEqual(
        Array(2).fill(isResponses ? '/v1/responses' : '/v1/chat/completions'),
      );
      expect(requests[1]?.body).toContain('sunny');
    });

    test.each([true, false])(
      'fails as any other model does, after one request (stream: %s)',
      async (stream) => {
        const failures: [LoopbackAnswer, object][] = [
          [
            { ...json(429, { error: { message: 'slow down' } }), headers: { 'retry-after': '7' } },
            { type: 'ModelRateLimited', retryable: true, retryAfterMs: 7000 },
          ],
          [json(401, { error: { message: 'no' } }), { type: 'ModelAuthenticationError', retryable: false }],
          [json(503, { error: { message: 'busy' } }), { type: 'ModelServerError', retryable: true }],
          [
            json(400, { error: { message: "This model's maximum context length is 8192 tokens" } }),
            { type: 'ModelContextTooLong', retryable: false },
          ],
        ];
        for (const [answer, expected] of failures) {
          const { ask, requests } = await serve(answer);
          expect(await failureOf(ask(stream))).toMatchObject(expected);
          expect(requests).toHaveLength(1);
        }
      },
    );

    test('is asked again where its stream ends early, or with an error', async () => {
      const cut = await serve(halfAnswer(kind, []));
      const pieces = callContext();
      await expect(cut.ask(true, pieces).then((reply) => checkReply('m', reply))).rejects.toMatchObject({
        retryable: true,
      });
      expect(pieces.pieces.join('')).toBe('The total is');
      const error = { type: 'server_error', code: 'server_error', message: 'It fell over.', param: null };
      const failed = await serve(
        halfAnswer(kind, [isResponses ? { type: 'error', sequence_number: 3, error } : { error }]),
      );
      const failure = await failureOf(failed.ask(true));
      expect([failure.message, failure.retryable]).toEqual([expect.stringContaining('It fell over.'), true]);
    });
  });
});
