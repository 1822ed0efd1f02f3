import { describe, expect, test, vi } from 'vitest';
import type { ModelPrompt } from '../../../../../agent/definition/kind.ts';
import { openai } from '../../../../../adapters/models/openai/openai.ts';
import type { ScriptedReply } from '../../../../../features/testing/index.ts';
import { callContext, failureOf, modelRequest, scriptedOpenAI } from '../../../../support/model-calls.ts';

describe('a refused parameter', () => {
  const refusal = (param: string, message: string, code: string): ScriptedReply => {
    return { status: 400, error: { message, param, code: `${code}_parameter` } };
  };
  const stop = refusal(
    'stop',
    "Unsupported parameter: 'stop' is not supported with this model.",
    'unsupported',
  );
  const zero = "Unsupported value: 'temperature' does not support 0 with this model.";
  const temperature = {
    status: 400,
    error: { message: zero, param: 'temperature', code: 'unsupported_value' },
  };

  test('is dropped with one warning, tried again in the same call, and left out of later calls', async () => {
    const { server, ask } = await scriptedOpenAI([stop, temperature, 'one', 'two']);
    const request = modelRequest({ temperature: 0, topP: 0.5 }, { stop: ['\nObservation:'] });
    const warnings = [expect.stringContaining('"stop"'), expect.stringContaining('"temperature"')];
    expect(await ask(request)).toMatchObject({ text: 'one', warnings });
    const second = await ask(request);
    expect(second).toMatchObject({ text: 'two' });
    expect(second.warnings).toBeUndefined();
    const sent = server.requests.map(({ body }) => Object.keys(body).slice(1, -1).join(' '));
    expect(sent).toEqual(['stop temperature top_p', 'temperature top_p', 'top_p', 'top_p']);
  });

  test('is still sent to another model', async () => {
    const { server, ask } = await scriptedOpenAI([stop, 'one', 'two']);
    await ask(modelRequest({}, { stop: ['x'] }));
    await ask(modelRequest({}, { stop: ['x'], model: 'other-model' }));
    expect(server.requests.map(({ body }) => body['stop'])).toEqual([['x'], undefined, ['x']]);
  });

  test('may be the word that tools are not to be called', async () => {
    const refused = refusal('tool_choice', 'Unknown parameter: tool_choice', 'unknown');
    const { server, ask } = await scriptedOpenAI([refused, 'hi']);
    const tools = [{ name: 'echo', description: '', parameters: {} }];
    const prompt: ModelPrompt = { type: 'messages', messages: [], tools, toolChoice: 'none' };
    expect(await ask(modelRequest({}, { prompt }))).toMatchObject({ text: 'hi' });
    expect(server.requests.map(({ body }) => body['tool_choice'])).toEqual(['none', undefined]);
  });

  test('max_tokens is sent as max_completion_tokens', async () => {
    const message =
      "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead.";
    const { server, ask } = await scriptedOpenAI([refusal('max_tokens', message, 'unsupported'), 'hi']);
    await ask(modelRequest({ maxTokens: 50 }));
    expect(server.requests[1]?.body).toMatchObject({ max_completion_tokens: 50 });
    expect(server.requests[1]?.body).not.toHaveProperty('max_tokens');
  });

  const VLLM = "[{'loc': ['body', 'top_p'], 'msg': 'Extra inputs are not permitted'}]";
  const GEMINI = 'Invalid JSON payload received. Unknown name "frequency_penalty": Cannot find field.';
  test.each([
    ['Unrecognized request argument supplied: stream_options', 'stream_options'],
    ["property 'logit_bias' is unsupported", 'logit_bias'],
    ['Model grok does not support parameter presencePenalty.', 'presence_penalty'],
    ['Argument not supported on this model: frequencyPenalty', 'frequency_penalty'],
    [VLLM, 'top_p'],
    [GEMINI, 'frequency_penalty'],
    ['`temperature` is deprecated for this model.', 'temperature'],
    ['invalid temperature: only 1 is allowed for this model', 'temperature'],
    ["This model doesn't support the stopSequences field. Remove stopSequences and try again.", 'stop'],
    ['Stop sequences are not supported by this model.', 'stop'],
    ["litellm.BadRequestError: This model doesn't support the temperature field.", 'temperature'],
    ['Parallel tool calls are not supported with this model.', 'parallel_tool_calls'],
  ])('is found in "%s"', async (message, dropped) => {
    const { server, ask } = await scriptedOpenAI([{ status: 400, error: { message } }, 'hi']);
    const params = { temperature: 0, topP: 1, frequencyPenalty: 1, presencePenalty: 1, logitBias: {} };
    const extra = { tools: [], parallel_tool_calls: true };
    const { warnings } = await ask(modelRequest({ stream: true, ...params, extra }, { stop: ['x'] }));
    expect(warnings).toEqual([expect.stringContaining(`"${dropped}"`)]);
    const [first, second] = server.requests.map(({ body }) => Object.keys(body));
    expect(second).toEqual(first?.filter((name) => name !== dropped));
  });

  test.each([
    { message: 'Verify to stream this model.', param: 'stream', code: 'unsupported_value' },
    { message: "This model doesn't support tool use in streaming mode." }, // Bedrock
  ])('stream is left out, and the answer comes in one piece: $message', async (error) => {
    const { server, ask } = await scriptedOpenAI([{ status: 400, error }, 'whole']);
    const warnings = [expect.stringContaining('"stream"')];
    expect(await ask(modelRequest({ stream: true }))).toMatchObject({ text: 'whole', warnings });
    expect(Object.keys(server.requests[1]?.body ?? {})).toEqual(['model', 'messages']);
  });

  test.each([
    ['a value out of range', 'temperature must be at most 2', 'temperature'],
    ['a field that the agent set itself', "Unsupported parameter: 'seed'", 'seed'],
    ['a field that was not sent', "Unsupported parameter: 'stop'", 'stop'],
  ])('is told from %s, which fails at once', async (_what, message, param) => {
    const { server, ask } = await scriptedOpenAI([{ status: 400, error: { message, param } }]);
    const failure = await failureOf(ask(modelRequest({ temperature: 3, extra: { seed: 1 } })));
    expect(failure).toMatchObject({ type: 'ModelBadRequest', lacksFeature: false });
    expect(server.requests).toHaveLength(1);
  });

  test('ends the call when the model goes on refusing: no endless round', async () => {
    const { server, ask } = await scriptedOpenAI(({ body }) => {
      const names = ['temperature', 'max_tokens', 'max_completion_tokens', 'stop'];
      const param = names.find((name) => name in body);
      const message = `Unsupported parameter: '${param}'`;
      return { status: 400, error: { message, code: 'unsupported_parameter', ...(param ? { param } : {}) } };
    });
    const request = modelRequest({ temperature: 0, maxTokens: 5 }, { stop: ['x'] });
    expect((await failureOf(ask(request))).type).toBe('ModelBadRequest');
    expect(server.requests).toHaveLength(5);
  });
});

describe('an abort', () => {
  test.each([
    { when: 'before the reply', script: { hang: true }, stream: false },
    { when: 'before the stream', script: { hang: true }, stream: true },
    { when: 'within the stream', script: { chunks: ['one ', 'two '], hang: true }, stream: true },
  ])('$when closes the HTTP request and rejects with its reason', async ({ script, stream }) => {
    const { server, model } = await scriptedOpenAI([script]);
    const abort = new AbortController();
    const context = callContext({ signal: abort.signal });
    const call = model.call(modelRequest({ stream }), context);
    call.catch(() => {});
    // The client is loaded with the first request, which takes its time on a busy machine.
    await vi.waitFor(() => expect(server.requests).toHaveLength(1), 10_000);
    await vi.waitFor(() => expect(context.pieces).toEqual(script.chunks ?? []), 10_000);
    expect(server.requests[0]?.aborted).toBe(false);
    const reason = new Error('the run was cancelled');
    abort.abort(reason);
    await expect(call).rejects.toBe(reason);
    await vi.waitFor(() => expect(server.requests[0]?.aborted).toBe(true), 10_000);
  });

  test('before the call sends nothing', async () => {
    const { server, model } = await scriptedOpenAI(['hi']);
    const reason = new Error('too late');
    const call = model.call(modelRequest(), callContext({ signal: AbortSignal.abort(reason) }));
    await expect(call).rejects.toBe(reason);
    expect(server.requests).toHaveLength(0);
  });
});

describe('the connection', () => {
  const noEnvironment = { OPENAI_API_KEY: '', OPENAI_BASE_URL: '' };
  const LOCAL = 'http://127.0.0.1:1/v1';
  const userName =
    /http:\/\/127\.0\.0\.1:1\/v1 holds a user name .*: correct the baseURL that the config gives/;
  test.each<[options: object, env: { [name: string]: string }, problem: RegExp]>([
    [{}, {}, /set OPENAI_API_KEY, or OPENAI_BASE_URL/],
    [{ apiKey: 'sk-1' }, {}, /^none$/],
    [{ apiKey: undefined }, { OPENAI_API_KEY: 'sk-1' }, /config gives is empty/],
    [{ apiKey: '' }, { OPENAI_BASE_URL: 'http://127.0.0.1:1' }, /is empty/],
    [{ baseURL: LOCAL }, {}, /^none$/],
    [{}, { OPENAI_API_KEY: 'sk-1' }, /^none$/],
    [{}, { OPENAI_BASE_URL: LOCAL }, /^none$/],
    [{}, { OPENAI_BASE_URL: '127.0.0.1:8000' }, /not an http\(s\) address/],
    [{ baseURL: 'localhost:8000/v1' }, {}, /"localhost:8000\/v1" is not an http/],
    [{ baseURL: 'ftp://bob:broken@127.0.0.1' }, {}, /base URL is not an http/],
    [{ baseURL: 'http://bob:broken@127.0.0.1:1/v1' }, {}, userName],
    [{}, { OPENAI_BASE_URL: 'http://broken@127.0.0.1/v1' }, /correct OPENAI_BASE_URL/],
    [{ baseURL: `${LOCAL}?key=broken` }, {}, /holds a query/],
    [{ baseURL: `${LOCAL}#broken` }, {}, /holds a query or a fragment/],
    [{ apiKey: 'sk-\nbroken' }, {}, /copy OPENAI_API_KEY again/],
  ])('made of %j and %j has the problem %s', (options, env, problem) => {
    for (const [name, value] of Object.entries({ ...noEnvironment, ...env })) vi.stubEnv(name, value);
    const said = openai(options).validate?.() ?? 'none';
    vi.unstubAllEnvs();
    expect(said).toMatch(problem);
    expect(said).not.toContain('broken');
  });

  test('fails the call where it is missing, not the creation of the model', async () => {
    for (const [name, value] of Object.entries(noEnvironment)) vi.stubEnv(name, value);
    const error = await failureOf(openai().call(modelRequest(), callContext()));
    vi.unstubAllEnvs();
    expect(error).toMatchObject({ type: 'ModelAuthenticationError', retryable: false });
  });

  test('is read from the environment at each call', async () => {
    const model = openai();
    const { server } = await scriptedOpenAI(['hi']);
    vi.stubEnv('OPENAI_BASE_URL', server.url);
    vi.stubEnv('OPENAI_API_KEY', '');
    const reply = await model.call(modelRequest(), callContext());
    vi.unstubAllEnvs();
    expect(reply.text).toBe('hi');
  });

  test('takes headers of its own', async () => {
    const { server } = await scriptedOpenAI(['hi']);
    const model = openai({ baseURL: server.url, headers: ({ runId }) => ({ 'x-run': runId }) });
    await model.call(modelRequest(), callContext({ runId: 'r-7' }));
    expect(server.requests[0]?.headers['x-run']).toBe('r-7');
  });
});
