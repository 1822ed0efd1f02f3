import { describe, expect, test, vi } from 'vitest';
import { openai } from '../../models/openai/openai.ts';
import { callContext, failureOf, modelRequest, scriptedOpenAI } from '../support/model-calls.ts';

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

  test('that came first sends nothing', async () => {
    const { server, model } = await scriptedOpenAI(['hi']);
    const reason = new Error('too late');
    const call = model.call(modelRequest(), callContext({ signal: AbortSignal.abort(reason) }));
    await expect(call).rejects.toBe(reason);
    expect(server.requests).toHaveLength(0);
  });
});

describe('the connection', () => {
  const noEnvironment = { OPENAI_API_KEY: '', OPENAI_BASE_URL: '' };
  test.each([
    { options: {}, env: {}, problem: /set OPENAI_API_KEY, or OPENAI_BASE_URL/ },
    { options: { apiKey: 'sk-1' }, env: {}, problem: /^none$/ },
    { options: { apiKey: undefined }, env: { OPENAI_API_KEY: 'sk-1' }, problem: /config gives is empty/ },
    { options: { apiKey: '' }, env: { OPENAI_BASE_URL: 'http://127.0.0.1:1' }, problem: /is empty/ },
    { options: { baseURL: 'http://127.0.0.1:1/v1' }, env: {}, problem: /^none$/ },
    { options: {}, env: { OPENAI_API_KEY: 'sk-1' }, problem: /^none$/ },
    { options: {}, env: { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' }, problem: /^none$/ },
    { options: {}, env: { OPENAI_BASE_URL: '127.0.0.1:8000' }, problem: /not an http\(s\) address/ },
    { options: { apiKey: 'sk-\nbroken' }, env: {}, problem: /copy OPENAI_API_KEY again/ },
  ])('made of $options and $env has the problem $problem', ({ options, env, problem }) => {
    for (const [name, value] of Object.entries({ ...noEnvironment, ...env })) vi.stubEnv(name, value);
    const said = openai(options).validate?.() ?? 'none';
    vi.unstubAllEnvs();
    expect(said).toMatch(problem);
    expect(said).not.toContain('broken');
  });

  test('that is missing fails the call, not the making of the model', async () => {
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
