import { classifyError } from '../../../../../activities/attempt/errors.ts';
import { describe, expect, test } from 'vitest';
import { openai } from '../../../../../adapters/models/openai/openai.ts';
import type { ScriptedReply } from '../../../../../features/testing/index.ts';
import {
  bareServer,
  callContext,
  failureOf,
  modelRequest,
  scriptedOpenAI,
} from '../../../../support/model-calls.ts';

/** What scriptedOpenAI asks with. */
const KEY = 'sk-secret-key';
const streaming = modelRequest({ stream: true });

describe('an HTTP error', () => {
  const quota = { message: 'You exceeded your quota.', code: 'insufficient_quota' };
  const tooLong = { message: 'Too long.', code: 'context_length_exceeded' };
  const maximum = { message: "This model's maximum context length is 4096 tokens." };

  test.each<[ScriptedReply & object, type: string, retryable: boolean, says?: RegExp]>([
    [{ status: 400 }, 'ModelBadRequest', false, /prompt or parameters/],
    [{ status: 401 }, 'ModelAuthenticationError', false, /Check the apiKey that the config gives/],
    [{ status: 402 }, 'ModelRateLimited', false, /billing/],
    [{ status: 403 }, 'ModelPermissionDenied', false, /"test-model"/],
    [{ status: 404 }, 'ModelNotFound', false, /"test-model".*\/v1/],
    [{ status: 408 }, 'ModelTimeout', true],
    [{ status: 409 }, 'ModelConflict', true],
    [{ status: 418 }, 'ModelBadRequest', false],
    [{ status: 422 }, 'ModelBadRequest', false],
    [{ status: 429 }, 'ModelRateLimited', true],
    [{ status: 500 }, 'ModelServerError', true],
    [{ status: 529 }, 'ModelServerError', true],
    [{ status: 429, error: quota }, 'ModelRateLimited', false, /quota\. Check plan and billing/],
    [{ status: 400, error: tooLong }, 'ModelContextTooLong', false, /trimIntermediateSteps/],
    [{ status: 400, error: maximum }, 'ModelContextTooLong', false],
  ])('%j is %s, retryable: %s', async (reply, type, retryable, says = /answered/) => {
    const { server, ask } = await scriptedOpenAI([reply]);
    const error = await failureOf(ask());
    expect(error).toMatchObject({ type, retryable, retryAfterMs: undefined });
    expect(error.message).toContain(`${server.url} answered: ${reply.status} `);
    expect(error.message).toMatch(says);
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    [503, 'The engine is overloaded', true],
    [529, 'Overloaded', true],
    [500, 'The server had an error', undefined],
    [502, 'Bad gateway', undefined],
    // Envoy had sent the request to a server, and lost the connection.
    [
      503,
      'upstream connect error or disconnect/reset before headers. reset reason: connection termination',
      undefined,
    ],
    [503, 'upstream connect error or disconnect/reset before headers. reset reason: remote reset', undefined],
    [
      503,
      'upstream connect error or disconnect/reset before headers. reset reason: connection failure',
      true,
    ],
    [503, 'upstream connect error or disconnect/reset before headers. reset reason: overflow', true],
  ])('%i, "%s", says that the request was turned away: %s', async (status, message, unbilled) => {
    const { ask } = await scriptedOpenAI([{ status, error: { message } }]);
    expect(await failureOf(ask())).toMatchObject({ type: 'ModelServerError', unbilled });
  });

  test.each([
    { headers: { 'retry-after': '0.5' }, ms: 500 },
    { headers: { 'retry-after-ms': '1234', 'retry-after': '9' }, ms: 1234 },
    { headers: { 'retry-after-ms': '-5', 'retry-after': '9' }, ms: 9000 },
    { headers: { 'retry-after': 'soon' }, ms: undefined },
  ])('with $headers asks to wait $ms ms', async ({ headers, ms }) => {
    const { ask } = await scriptedOpenAI([{ status: 429, headers }]);
    expect((await failureOf(ask())).retryAfterMs).toBe(ms);
  });

  test.each([
    { header: '86400', wait: '24 hours' },
    { header: '901', wait: '15 minutes' },
    { header: 'Fri, 31 Dec 9999 23:59:59 GMT', wait: 'days' },
  ])('with Retry-After: $header is not tried again automatically, and says so', async ({ header, wait }) => {
    const { ask } = await scriptedOpenAI([{ status: 429, headers: { 'retry-after': header } }]);
    const classified = classifyError(await failureOf(ask()));
    expect(classified).toMatchObject({ type: 'ModelRateLimited', retryable: false, mayPass: true });
    expect(classified.message).toMatch(new RegExp(`asked to wait .*${wait} before the next attempt`, 'u'));
  });

  test.each([
    ['Invalid model name passed in model=gpt-nope', 'Check the model name "test-model"'],
    ['No connected db.', 'the model\'s name "test-model" and the baseURL that the config gives'],
    ['registry.ollama.ai/library/gemma:2b does not support tools', "kind: 'zero-shot'"],
    ["Invalid 'tools': array too long. Expected an array with maximum length 128", 'fewer tools'],
    ['max_tokens is too large', "again: change the agent's prompt or parameters."],
  ])('says, for status 400, where to look: %s', async (message, says) => {
    const { ask } = await scriptedOpenAI([{ status: 400, error: { message } }]);
    expect((await failureOf(ask())).message).toContain(says);
  });

  test.each([
    [500, 'false', false],
    [400, 'true', true],
  ])('%i with x-should-retry: %s is retryable: %s', async (status, header, retryable) => {
    const { ask } = await scriptedOpenAI([{ status, headers: { 'x-should-retry': header } }]);
    expect((await failureOf(ask())).retryable).toBe(retryable);
  });

  test.each([
    { where: 'as text in `error`', rawBody: '{"error":"model was not loaded"}' },
    { where: 'in `message`', rawBody: '{"object":"error","message":"model was not loaded"}' },
    { where: 'in `detail`', rawBody: '{"detail":"model was not loaded"}' },
    { where: 'as a list in `detail`', rawBody: '{"detail":[{"msg":"model was not loaded"}]}' },
    { where: 'in a list', rawBody: '[{"error":{"message":"model was not loaded"}}]' },
    { where: 'as plain text', rawBody: 'model was not loaded' },
  ])('keeps the words of a server that puts them $where', async ({ rawBody }) => {
    const { ask } = await scriptedOpenAI([{ status: 400, rawBody }]);
    expect((await failureOf(ask())).message).toContain('model was not loaded');
  });

  test('never repeats the key, even if the server does', async () => {
    const { ask } = await scriptedOpenAI([{ status: 401, error: { message: 'Bad key: sk-secret-key.' } }]);
    const { message, cause } = await failureOf(ask());
    expect(message).toContain('Bad key: ***');
    expect(String(cause)).not.toContain('sk-secret');
  });

  test.each(Array.from({ length: 18 }, (_item, index) => 485 + index))(
    'never shows a part of the key, not even where the message is cut behind %d characters of it',
    async (chars) => {
      const message = `${'x'.repeat(chars)}${KEY} and more`;
      const { ask } = await scriptedOpenAI([{ status: 400, error: { message } }]);
      expect((await failureOf(ask())).message).not.toMatch(/sk-|secret/);
    },
  );

  test('never shows a key that a gateway is given in a header', async () => {
    const { server } = await scriptedOpenAI([{ status: 400, error: { message: 'no: gate-0123456789' } }]);
    const model = openai({ baseURL: server.url, headers: () => ({ 'x-key': 'gate-0123456789' }) });
    expect((await failureOf(model.call(modelRequest(), callContext()))).message).toContain('no: ***.');
  });
});

describe('a reply that breaks the protocol', () => {
  const html = { 'content-type': 'text/html' };
  test.each([
    { what: 'is not JSON', rawBody: '{"choices": [' },
    { what: 'is HTML', rawBody: '<html>Bad gateway</html>', headers: html },
    { what: 'has no choices', rawBody: '{"choices":[]}' },
    { what: 'is not an object', rawBody: 'null' },
    { what: 'is empty', rawBody: '' },
    { what: 'streams what is not JSON', rawBody: 'data: {"choi\n\n', stream: true },
    { what: 'streams what has another shape', rawBody: 'data: {"choices":5}\n\n', stream: true },
    { what: 'streams no choices', rawBody: 'data: [DONE]\n\n', stream: true },
    { what: 'is HTML for a stream', rawBody: '<html>Hello</html>', headers: html, stream: true },
  ])('and $what is ModelInvalidResponse', async ({ rawBody, headers = {}, stream = false }) => {
    const { ask } = await scriptedOpenAI([{ rawBody, headers }]);
    const error = await failureOf(ask(modelRequest({ stream })));
    expect(error).toMatchObject({ type: 'ModelInvalidResponse', retryable: true });
    expect(error.message).toContain('/v1/chat/completions sent ');
  });

  test.each([false, true])('never shows the key that a server echoes (stream: %s)', async (stream) => {
    const echo = JSON.stringify({ headers: { authorization: `Bearer ${KEY}` } });
    const rawBody = stream ? `data: ${echo.replace('{', '{"choices":5,')}\n\n` : echo;
    const { ask } = await scriptedOpenAI([{ rawBody }]);
    const { type, message } = await failureOf(ask(modelRequest({ stream })));
    expect(type).toBe('ModelInvalidResponse');
    expect(message).toContain('Bearer ***');
    expect(message).not.toContain('secret');
  });

  test.each([
    [{ message: 'Slow down.', code: 'rate_limit_exceeded' }, 'ModelRateLimited', true],
    [{ message: 'Pay.', code: 'insufficient_quota' }, 'ModelRateLimited', false],
    [{ message: 'Upstream.', code: '502' }, 'ModelServerError', true],
    [{ message: 'No.', type: 'invalid_request_error' }, 'ModelBadRequest', false],
    [{ message: 'Hm.', code: 'context_length_exceeded' }, 'ModelContextTooLong', false],
    [{ message: 'Who knows?' }, 'ModelServerError', true],
  ])('by an error inside a 200 is judged like an HTTP error: %j', async (error, type, retryable) => {
    const { ask } = await scriptedOpenAI([
      { rawBody: JSON.stringify({ error }) },
      { chunks: ['Half '], error },
    ]);
    const whole = await failureOf(ask());
    expect(whole).toMatchObject({ type, retryable });
    expect(whole.message).toContain(error.message);
    expect(await failureOf(ask(streaming))).toMatchObject({ type, retryable });
  });

  test('after the first piece, if of a tool call, says that the provider has worked', async () => {
    const call = { index: 0, id: 'c', function: { name: 'look', arguments: '{' } };
    const error = { message: 'Slow down.', code: 'rate_limit_exceeded' };
    const pieces = [{ choices: [{ index: 0, delta: { tool_calls: [call] } }] }, { error }];
    const body = (sent: object[]) => sent.map((piece) => `data: ${JSON.stringify(piece)}\n\n`).join('');
    const { ask } = await scriptedOpenAI([{ rawBody: body(pieces) }, { rawBody: body([{ error }]) }]);
    expect(await failureOf(ask(streaming))).toMatchObject({ type: 'ModelRateLimited', unbilled: false });
    expect(await failureOf(ask(streaming))).toMatchObject({ type: 'ModelRateLimited', unbilled: undefined });
  });
});

describe('a broken connection', () => {
  const endless = { rawBody: 'data: {"choices":[{"delta":{"content":"a"}}]}\n\n' };
  test.each([
    ['cut after two chunks', { chunks: ['a', 'b', 'c'], cutAfterChunks: 2 }],
    ['cut before the first chunk', { text: 'a', cutAfterChunks: 0 }],
    ['ended in good order, but without a finish reason', endless],
  ])('is ModelStreamCut for a stream that is %s', async (_what, reply) => {
    const { ask } = await scriptedOpenAI([reply]);
    expect(await failureOf(ask(streaming))).toMatchObject({ type: 'ModelStreamCut', retryable: true });
  });

  test('is ModelConnectionError within a reply that is not streamed', async () => {
    const { ask } = await scriptedOpenAI([{ text: 'half of this', cutAfterChunks: 1 }]);
    expect(await failureOf(ask())).toMatchObject({ type: 'ModelConnectionError', retryable: true });
  });

  test('is ModelConnectionError before the reply', async () => {
    const baseURL = await bareServer((request) => request.socket.destroy());
    const error = await failureOf(openai({ baseURL }).call(modelRequest(), callContext()));
    expect(error).toMatchObject({ type: 'ModelConnectionError', retryable: true, unbilled: undefined });
  });

  test('says the address where nobody listens', async () => {
    const { server, ask } = await scriptedOpenAI([]);
    await server.close();
    const error = await failureOf(ask());
    expect(error).toMatchObject({ type: 'ModelConnectionError', retryable: true, unbilled: true });
    expect(error.message).toBe(
      `Cannot reach the model at ${server.url} (ECONNREFUSED). Check the baseURL that the config gives and that the server runs.`,
    );
  });
});

test('a call ends with its signal when the headers come and the body does not', async () => {
  const baseURL = await bareServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"choices":');
  });
  const call = openai({ baseURL }).call(modelRequest(), callContext({ signal: AbortSignal.timeout(150) }));
  await expect(call).rejects.toMatchObject({ name: 'TimeoutError' });
});
