import { describe, expect, test } from 'vitest';
import { openai } from '../../models/openai.ts';
import type { ScriptedReply } from '../../testing.ts';
import { bareServer, callContext, failureOf, modelRequest, scriptedOpenAI } from '../support/model-calls.ts';

const streaming = modelRequest({ stream: true });

describe('an HTTP error', () => {
  test.each<{ reply: ScriptedReply; type: string; retryable: boolean; says?: RegExp }>([
    { reply: { status: 400 }, type: 'ModelBadRequest', retryable: false, says: /prompt or parameters/ },
    {
      reply: { status: 401 },
      type: 'ModelAuthenticationError',
      retryable: false,
      says: /Check OPENAI_API_KEY/,
    },
    { reply: { status: 402 }, type: 'ModelRateLimited', retryable: false, says: /billing/ },
    { reply: { status: 403 }, type: 'ModelPermissionDenied', retryable: false, says: /"test-model"/ },
    { reply: { status: 404 }, type: 'ModelNotFound', retryable: false, says: /"test-model".*\/v1/ },
    { reply: { status: 408 }, type: 'ModelTimeout', retryable: true },
    { reply: { status: 409 }, type: 'ModelConflict', retryable: true },
    { reply: { status: 418 }, type: 'ModelBadRequest', retryable: false },
    { reply: { status: 422 }, type: 'ModelBadRequest', retryable: false },
    { reply: { status: 429 }, type: 'ModelRateLimited', retryable: true },
    { reply: { status: 500 }, type: 'ModelServerError', retryable: true },
    { reply: { status: 529 }, type: 'ModelServerError', retryable: true },
    {
      reply: { status: 429, error: { message: 'You exceeded your quota.', code: 'insufficient_quota' } },
      type: 'ModelRateLimited',
      retryable: false,
      says: /quota\. Check plan and billing/,
    },
    {
      reply: { status: 400, error: { message: 'Too long.', code: 'context_length_exceeded' } },
      type: 'ModelContextTooLong',
      retryable: false,
      says: /trimIntermediateSteps/,
    },
    {
      reply: { status: 400, error: { message: "This model's maximum context length is 4096 tokens." } },
      type: 'ModelContextTooLong',
      retryable: false,
    },
  ])('$reply is $type, retryable: $retryable', async ({ reply, type, retryable, says }) => {
    const { server, ask } = await scriptedOpenAI([reply]);
    const error = await failureOf(ask());
    expect(error).toMatchObject({ type, retryable, retryAfterMs: undefined });
    expect(error.message).toContain(`${server.url} answered: ${reply.status} `);
    if (says) expect(error.message).toMatch(says);
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    { headers: { 'retry-after': '7' }, ms: 7000 },
    { headers: { 'retry-after': '0.5' }, ms: 500 },
    { headers: { 'retry-after-ms': '1234', 'retry-after': '9' }, ms: 1234 },
    { headers: { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, ms: 0 },
    { headers: { 'retry-after': 'soon' }, ms: undefined },
  ])('with $headers asks to wait $ms ms', async ({ headers, ms }) => {
    const { ask } = await scriptedOpenAI([{ status: 429, headers }]);
    expect((await failureOf(ask())).retryAfterMs).toBe(ms);
  });

  test('with a date as Retry-After asks to wait until then', async () => {
    const date = new Date(Date.now() + 3_600_000).toUTCString();
    const { ask } = await scriptedOpenAI([{ status: 503, headers: { 'retry-after': date } }]);
    const { retryAfterMs = 0 } = await failureOf(ask());
    expect(retryAfterMs).toBeGreaterThan(3_000_000);
    expect(retryAfterMs).toBeLessThanOrEqual(3_600_000);
  });

  test.each([
    { status: 500, header: 'false', retryable: false },
    { status: 400, header: 'true', retryable: true },
  ])(
    '$status with x-should-retry: $header is retryable: $retryable',
    async ({ status, header, retryable }) => {
      const { ask } = await scriptedOpenAI([{ status, headers: { 'x-should-retry': header } }]);
      expect((await failureOf(ask())).retryable).toBe(retryable);
    },
  );

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
});

describe('a refused parameter', () => {
  const refused: ScriptedReply[] = [
    {
      status: 400,
      error: {
        message: "Unsupported parameter: 'stop' is not supported with this model.",
        param: 'stop',
        code: 'unsupported_parameter',
      },
    },
    {
      status: 400,
      error: {
        message: "Unsupported value: 'temperature' does not support 0 with this model.",
        param: 'temperature',
        code: 'unsupported_value',
      },
    },
  ];

  test('is dropped with one warning, tried again in the same call, and left out of later calls', async () => {
    const { server, ask } = await scriptedOpenAI([...refused, 'one', 'two']);
    const request = modelRequest({ temperature: 0, topP: 0.5 }, { stop: ['\nObservation:'] });
    expect(await ask(request)).toMatchObject({
      text: 'one',
      warnings: [expect.stringContaining('"stop"'), expect.stringContaining('"temperature"')],
    });
    const second = await ask(request);
    expect(second).toMatchObject({ text: 'two' });
    expect(second.warnings).toBeUndefined();
    expect(server.requests.map(({ body }) => ['stop' in body, 'temperature' in body, body['top_p']])).toEqual(
      [
        [true, true, 0.5],
        [false, true, 0.5],
        [false, false, 0.5],
        [false, false, 0.5],
      ],
    );
  });

  test('of one model is still sent to another', async () => {
    const { server, ask } = await scriptedOpenAI([refused[0] ?? '', 'one', 'two']);
    await ask(modelRequest({}, { stop: ['x'] }));
    await ask(modelRequest({}, { stop: ['x'], model: 'other-model' }));
    expect(server.requests.map(({ body }) => body['stop'])).toEqual([['x'], undefined, ['x']]);
  });

  test('max_tokens becomes max_completion_tokens', async () => {
    const message =
      "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead.";
    const error = { message, param: 'max_tokens', code: 'unsupported_parameter' };
    const { server, ask } = await scriptedOpenAI([{ status: 400, error }, 'hi']);
    await ask(modelRequest({ maxTokens: 50 }));
    expect(server.requests[1]?.body).toMatchObject({ max_completion_tokens: 50 });
    expect(server.requests[1]?.body).not.toHaveProperty('max_tokens');
  });

  test.each([
    { message: 'Unrecognized request argument supplied: stream_options', dropped: 'stream_options' },
    { message: "property 'logit_bias' is unsupported", dropped: 'logit_bias' },
    { message: 'Model grok does not support parameter presencePenalty.', dropped: 'presence_penalty' },
    { message: 'Argument not supported on this model: frequencyPenalty', dropped: 'frequency_penalty' },
    { message: "[{'loc': ['body', 'top_p'], 'msg': 'Extra inputs are not permitted'}]", dropped: 'top_p' },
    { message: '`temperature` is deprecated for this model.', dropped: 'temperature' },
  ])('is found in "$message"', async ({ message, dropped }) => {
    const { server, ask } = await scriptedOpenAI([{ status: 400, error: { message } }, 'hi']);
    const params = { temperature: 0, topP: 1, frequencyPenalty: 1, presencePenalty: 1, logitBias: {} };
    const { warnings } = await ask(modelRequest({ stream: true, ...params }));
    expect(warnings).toEqual([expect.stringContaining(`"${dropped}"`)]);
    const [first, second] = server.requests.map(({ body }) => Object.keys(body));
    expect(second).toEqual(first?.filter((name) => name !== dropped));
  });

  test('stream means: answer in one piece', async () => {
    const error = { message: 'Verify to stream this model.', param: 'stream', code: 'unsupported_value' };
    const { server, ask } = await scriptedOpenAI([{ status: 400, error }, 'whole']);
    expect(await ask(streaming)).toMatchObject({
      text: 'whole',
      warnings: [expect.stringContaining('"stream"')],
    });
    expect(Object.keys(server.requests[1]?.body ?? {})).toEqual(['model', 'messages']);
  });

  test.each([
    {
      what: 'a value out of range',
      error: { message: 'temperature must be at most 2', param: 'temperature' },
    },
    {
      what: 'a field that the agent set itself',
      error: { message: "Unsupported parameter: 'seed'", param: 'seed' },
    },
    { what: 'a field that was not sent', error: { message: "Unsupported parameter: 'stop'", param: 'stop' } },
  ])('is not $what: that fails at once', async ({ error }) => {
    const { server, ask } = await scriptedOpenAI([{ status: 400, error }]);
    const failure = await failureOf(ask(modelRequest({ temperature: 3, extra: { seed: 1 } })));
    expect(failure.type).toBe('ModelBadRequest');
    expect(server.requests).toHaveLength(1);
  });

  test('ends the call when the model goes on refusing: no endless round', async () => {
    const { server, ask } = await scriptedOpenAI(({ body }) => {
      const param = ['temperature', 'max_tokens', 'max_completion_tokens', 'stop'].find(
        (name) => name in body,
      );
      const message = `Unsupported parameter: '${param}'`;
      return { status: 400, error: { message, code: 'unsupported_parameter', ...(param ? { param } : {}) } };
    });
    const request = modelRequest({ temperature: 0, maxTokens: 5 }, { stop: ['x'] });
    expect((await failureOf(ask(request))).type).toBe('ModelBadRequest');
    expect(server.requests).toHaveLength(5);
  });
});

describe('a reply that breaks the protocol', () => {
  test.each([
    { what: 'is not JSON', rawBody: '{"choices": [' },
    { what: 'is HTML', rawBody: '<html>Bad gateway</html>', headers: { 'content-type': 'text/html' } },
    { what: 'has no choices', rawBody: '{"choices":[]}' },
    { what: 'is no object', rawBody: 'null' },
    { what: 'is empty', rawBody: '' },
    { what: 'streams what is not JSON', rawBody: 'data: {"choi\n\n', stream: true },
    { what: 'streams what has another shape', rawBody: 'data: {"choices":5}\n\n', stream: true },
    { what: 'streams no choices', rawBody: 'data: [DONE]\n\n', stream: true },
    {
      what: 'is HTML for a stream',
      rawBody: '<html>Hello</html>',
      headers: { 'content-type': 'text/html' },
      stream: true,
    },
  ])('and $what is ModelInvalidResponse', async ({ rawBody, headers = {}, stream = false }) => {
    const { ask } = await scriptedOpenAI([{ rawBody, headers }]);
    const error = await failureOf(ask(modelRequest({ stream })));
    expect(error).toMatchObject({ type: 'ModelInvalidResponse', retryable: true });
    expect(error.message).toContain('/v1/chat/completions sent ');
  });

  test.each([
    {
      error: { message: 'Slow down.', code: 'rate_limit_exceeded' },
      type: 'ModelRateLimited',
      retryable: true,
    },
    { error: { message: 'Pay.', code: 'insufficient_quota' }, type: 'ModelRateLimited', retryable: false },
    { error: { message: 'Upstream.', code: '502' }, type: 'ModelServerError', retryable: true },
    { error: { message: 'No.', type: 'invalid_request_error' }, type: 'ModelBadRequest', retryable: false },
    {
      error: { message: 'Hm.', code: 'context_length_exceeded' },
      type: 'ModelContextTooLong',
      retryable: false,
    },
    { error: { message: 'Who knows?' }, type: 'ModelServerError', retryable: true },
  ])('by an error inside a 200 is judged like an HTTP error: $error', async ({ error, type, retryable }) => {
    const { ask } = await scriptedOpenAI([
      { rawBody: JSON.stringify({ error }) },
      { chunks: ['Half '], error },
    ]);
    const whole = await failureOf(ask());
    expect(whole).toMatchObject({ type, retryable });
    expect(whole.message).toContain(error.message);
    expect(await failureOf(ask(streaming))).toMatchObject({ type, retryable });
  });
});

describe('a broken connection', () => {
  test.each([
    { what: 'cut after two chunks', reply: { chunks: ['a', 'b', 'c'], cutAfterChunks: 2 } },
    { what: 'cut before the first chunk', reply: { text: 'a', cutAfterChunks: 0 } },
    {
      what: 'ended in good order, but without a finish reason',
      reply: { rawBody: 'data: {"choices":[{"delta":{"content":"a"}}]}\n\n' },
    },
  ])('is ModelStreamCut for a stream that is $what', async ({ reply }) => {
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
    expect(error).toMatchObject({ type: 'ModelConnectionError', retryable: true });
  });

  test('says the address where nobody listens', async () => {
    const { server, ask } = await scriptedOpenAI([]);
    await server.close();
    const error = await failureOf(ask());
    expect(error).toMatchObject({ type: 'ModelConnectionError', retryable: true });
    expect(error.message).toBe(
      `Cannot reach the model at ${server.url} (ECONNREFUSED). Check OPENAI_BASE_URL and that the server runs.`,
    );
  });
});

describe('a time-out', () => {
  test.each([
    { what: 'nothing comes', reply: { hang: true }, stream: false },
    { what: 'no stream comes', reply: { hang: true }, stream: true },
    { what: 'a stream falls silent', reply: { chunks: ['a'], hang: true }, stream: true },
  ])('is ModelTimeout when $what, and closes the request', async ({ reply, stream }) => {
    const { server, ask } = await scriptedOpenAI([reply]);
    const error = await failureOf(ask(modelRequest({ stream, requestTimeoutMs: 150 })));
    expect(error).toMatchObject({ type: 'ModelTimeout', retryable: true });
    expect(error.message).toContain('requestTimeout');
    await expect.poll(() => server.requests[0]?.aborted).toBe(true);
  });

  test('is ModelTimeout when the headers come and the body does not', async () => {
    const baseURL = await bareServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"choices":');
    });
    const call = openai({ baseURL }).call(modelRequest({ requestTimeoutMs: 150 }), callContext());
    expect((await failureOf(call)).type).toBe('ModelTimeout');
  });

  test('does not end a stream that goes on, however long it takes in all', async () => {
    const { ask } = await scriptedOpenAI([{ chunks: [...'abcdefgh'], chunkDelayMs: 250 }]);
    const reply = await ask(modelRequest({ stream: true, requestTimeoutMs: 1500 }));
    expect(reply.text).toBe('abcdefgh');
  });

  test('may be longer than any timer', async () => {
    const { ask } = await scriptedOpenAI([{ text: 'hi', delayMs: 20 }]);
    expect((await ask(modelRequest({ requestTimeoutMs: Number.MAX_SAFE_INTEGER }))).text).toBe('hi');
  });
});
