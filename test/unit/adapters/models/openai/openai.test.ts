import { describe, expect, test } from 'vitest';
import { openai } from '../../../../../adapters/models/openai/openai.ts';
import { bareServer, callContext, modelRequest, scriptedOpenAI } from '../../../../support/model-calls.ts';

const apis = ['chat', 'completions'] as const;

describe('a request', () => {
  test('sends a text prompt as one user message, and nothing that is not set', async () => {
    const { server, ask } = await scriptedOpenAI(['hi']);
    await ask();
    expect(server.requests[0]).toMatchObject({ path: '/v1/chat/completions' });
    const messages = [{ role: 'user', content: 'Say hello.' }];
    expect(server.requests[0]?.body).toEqual({ model: 'test-model', messages });
  });

  test('sends every parameter under its name in the protocol, further fields as they are', async () => {
    const { server, ask } = await scriptedOpenAI(['hi']);
    const given = { temperature: 0, maxTokens: 50, topP: 0.5, frequencyPenalty: 0.1, presencePenalty: 0.2 };
    const extra = { seed: 7, reasoning_effort: 'low' };
    await ask(modelRequest({ ...given, logitBias: { '42': -100 }, extra }, { stop: ['\nObservation:'] }));
    const sent = {
      temperature: 0,
      max_tokens: 50,
      top_p: 0.5,
      frequency_penalty: 0.1,
      presence_penalty: 0.2,
    };
    expect(server.requests[0]?.body).toEqual({
      model: 'test-model',
      messages: [{ role: 'user', content: 'Say hello.' }],
      stop: ['\nObservation:'],
      ...sent,
      logit_bias: { '42': -100 },
      ...extra,
    });
  });

  test('sends the first four stop strings: the API takes no more', async () => {
    const { server, ask } = await scriptedOpenAI(['hi']);
    await ask(modelRequest({}, { stop: ['1', '2', '3', '4', '5'] }));
    expect(server.requests[0]?.body['stop']).toEqual(['1', '2', '3', '4']);
  });

  test('asks for the usage when it streams', async () => {
    const { server, ask } = await scriptedOpenAI(['hi']);
    await ask(modelRequest({ stream: true }));
    expect(server.requests[0]?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  test.each([
    { maxTokens: undefined, sent: 256 },
    { maxTokens: 16, sent: 16 },
  ])(
    'has, for legacy completions, max_tokens $sent for the $maxTokens of an agent',
    async ({ maxTokens, sent }) => {
      const { server, ask } = await scriptedOpenAI(['hi']);
      await ask(modelRequest({ api: 'completions', ...(maxTokens === undefined ? {} : { maxTokens }) }));
      const [{ path, body } = {}] = server.requests;
      expect(path).toBe('/v1/completions');
      expect(body).toEqual({ model: 'test-model', prompt: 'Say hello.', max_tokens: sent });
    },
  );

  test('to legacy completions writes messages as a dialogue that ends where the model speaks', async () => {
    const { server, ask } = await scriptedOpenAI(['hi']);
    const messages = [
      { role: 'system' as const, content: 'Be kind.' },
      { role: 'user' as const, content: 'Hello' },
      { role: 'assistant' as const, content: 'Hi.' },
      { role: 'user' as const, content: 'Bye' },
    ];
    await ask(modelRequest({ api: 'completions' }, { prompt: { type: 'messages', messages } }));
    const dialogue = 'System: Be kind.\nHuman: Hello\nAI: Hi.\nHuman: Bye\nAI:';
    expect(server.requests[0]?.body['prompt']).toBe(dialogue);
  });
});

describe.each(apis)('a reply of the %s API', (api) => {
  test.each([true, false])('has text, finish reason and usage (stream: %s)', async (stream) => {
    const text = ' Hello, how are you?';
    const usage = { promptTokens: 7, completionTokens: 5 };
    const { model } = await scriptedOpenAI([{ text, finishReason: 'length', usage }]);
    const context = callContext();
    const reply = await model.call(modelRequest({ api, stream }), context);
    const counted = { ...usage, totalTokens: 12 };
    const id = `${api === 'chat' ? 'chatcmpl' : 'cmpl'}-scripted-1`;
    expect(reply).toEqual({ id, text, toolCalls: [], finishReason: 'length', usage: counted });
    expect(context.pieces).toEqual(stream ? [' Hello,', ' how', ' are', ' you?'] : []);
  });

  test.each([true, false])('says how much of the prompt was cached (stream: %s)', async (stream) => {
    const counted = { promptTokens: 7, completionTokens: 5, cachedTokens: 4 };
    const { ask } = await scriptedOpenAI([{ text: 'hi', usage: counted }]);
    const { usage } = await ask(modelRequest({ api, stream }));
    expect(usage).toEqual({ ...counted, totalTokens: 12 });
  });

  test('says so in the word of DeepSeek, too', async () => {
    const usage = { prompt_tokens: 7, completion_tokens: 5, prompt_cache_hit_tokens: 4 };
    const rawBody = JSON.stringify({ choices: [{ message: { content: 'hi' }, text: 'hi' }], usage });
    const { ask } = await scriptedOpenAI([{ rawBody }]);
    expect((await ask(modelRequest({ api, stream: false }))).usage?.cachedTokens).toBe(4);
  });

  test.each([true, false])('without usage says nothing of tokens (stream: %s)', async (stream) => {
    const { ask } = await scriptedOpenAI([{ text: 'hi', usage: null }]);
    const { usage } = await ask(modelRequest({ api, stream }));
    expect(usage).toBeUndefined();
  });

  test.each([true, false])('may be empty (stream: %s)', async (stream) => {
    const { ask } = await scriptedOpenAI(['']);
    expect(await ask(modelRequest({ api, stream }))).toMatchObject({ text: '', finishReason: 'stop' });
  });
});

describe('a reply', () => {
  test('with its text in parts, or a refusal in its place, is text', async () => {
    const content = ['Hel', 'lo'].map((text) => ({ type: 'text', text }));
    const refusal = 'I will not.';
    const replies = [{ content }, { content: null, refusal }, { content: '', refusal }];
    const bodies = replies.map((message) => ({ rawBody: JSON.stringify({ choices: [{ message }] }) }));
    const { ask } = await scriptedOpenAI(bodies);
    expect(await ask()).toMatchObject({ text: 'Hello', finishReason: 'unknown' });
    expect(await ask()).toMatchObject({ text: refusal });
    expect(await ask()).toMatchObject({ text: refusal });
  });

  test('in one piece is read, though a stream was asked for', async () => {
    const rawBody = '{"choices":[{"message":{"content":"whole"},"finish_reason":"stop"}]}';
    const { ask } = await scriptedOpenAI([{ rawBody, headers: { 'content-type': 'application/json' } }]);
    expect(await ask(modelRequest({ stream: true }))).toMatchObject({ text: 'whole' });
  });

  test('with [DONE] at its end is whole, with no finish reason too', async () => {
    const rawBody = ': comment\n\ndata: {"choices":[{"delta":{"content":"whole"}}]}\n\ndata: [DONE]\n\n';
    const { ask } = await scriptedOpenAI([{ rawBody }]);
    const reply = await ask(modelRequest({ stream: true }));
    expect(reply).toMatchObject({ text: 'whole', finishReason: 'unknown' });
  });

  test('keeps a character whose bytes come in two packets', async () => {
    const event = Buffer.from(
      'data: {"choices":[{"delta":{"content":"斐波那契 🙂"},"finish_reason":"stop"}]}\n\n',
    );
    const middle = event.indexOf(Buffer.from('🙂')) + 2;
    const baseURL = await bareServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(event.subarray(0, middle));
      setTimeout(() => response.end(event.subarray(middle)), 20);
    });
    const context = callContext();
    const reply = await openai({ baseURL }).call(modelRequest({ stream: true }), context);
    expect(reply.text).toBe('斐波那契 🙂');
    expect(context.pieces).toEqual(['斐波那契 🙂']);
  });
});

describe('a stream of a server that does not keep to stop strings', () => {
  const stopping = modelRequest({ stream: true }, { stop: ['\nObservation:'] });

  test('is ended at the first one, wherever it was split', async () => {
    const chunks = ['Action: a\nObs', 'ervation', ': I make', ' it up', ' and up'];
    const { server, ask } = await scriptedOpenAI([{ chunks, ignoreStop: true, hang: true }]);
    const reply = await ask(stopping);
    expect(reply).toMatchObject({ finishReason: 'stop', usage: undefined });
    expect(reply.text).toMatch(/^Action: a\nObservation:/u);
    await expect.poll(() => server.requests[0]?.aborted).toBe(true);
  });

  test('keeps the usage that was sent before it', async () => {
    const usage = { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 };
    const piece = (content: string) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }], usage })}\n\n`;
    const rawBody = piece('a') + piece('\nObservation: b') + 'data: [DONE]\n\n';
    const { ask } = await scriptedOpenAI([{ rawBody }]);
    expect(await ask(stopping)).toMatchObject({ text: 'a\nObservation: b', usage: { totalTokens: 9 } });
  });

  test('is ended, as cut, once there is more text than can be recorded', async () => {
    const chunks = Array.from({ length: 4 }, () => 'x'.repeat(100_000));
    const { server, ask } = await scriptedOpenAI([{ chunks, hang: true }]);
    expect((await ask(stopping)).finishReason).toBe('length');
    await expect.poll(() => server.requests[0]?.aborted).toBe(true);
  });
});
