import { execa } from 'execa';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ScriptEntry } from '../../../../../features/testing/index.ts';
import { scripted, startScriptedServer } from '../../../../../features/testing/index.ts';
import { callContext, failureOf, modelRequest, scriptedOpenAI } from '../../../../support/model-calls.ts';

const stop = ['\nObservation:', '\n\tObservation:'];
const hallucinated = 'Thought: I know\nAction: Search\nAction Input: x\nObservation: made up';

describe('an array script', () => {
  test('answers in order, an entry with `times` so often, and then says that it is used up', async () => {
    const { server, ask } = await scriptedOpenAI(['one', { text: 'two', times: 2 }]);
    expect((await ask()).text).toBe('one');
    expect((await ask()).text).toBe('two');
    expect((await ask()).text).toBe('two');
    const error = await failureOf(ask());
    expect(error).toMatchObject({ type: 'ModelBadRequest', retryable: false });
    expect(error.message).toContain('The script has 3 replies and this is request 4.');
    expect(server.requests).toHaveLength(4);
  });
});

describe('a function script', () => {
  test('sees each request and its number', async () => {
    const { ask } = await scriptedOpenAI(async ({ prompt, path }, index) => `${index} ${path} ${prompt}`);
    expect((await ask()).text).toBe('0 /v1/chat/completions Say hello.');
    expect((await ask(modelRequest({ api: 'completions' }))).text).toBe('1 /v1/completions Say hello.');
  });

  test('answers 400 with the message that it throws', async () => {
    const { ask } = await scriptedOpenAI(() => {
      throw new Error('no such question');
    });
    const { message } = await failureOf(ask());
    expect(message).toContain('The script threw at request 1: Error: no such question');
  });
});

describe.each(['chat', 'completions'] as const)('the scripted server (%s)', (api) => {
  test.each([true, false])('cuts at the first stop string of the request (stream: %s)', async (stream) => {
    const { ask } = await scriptedOpenAI([hallucinated]);
    const { text } = await ask(modelRequest({ api, stream }, { stop }));
    expect(text).toBe('Thought: I know\nAction: Search\nAction Input: x');
  });

  // Of a stream the adapter reads no more than up to the stop string.
  test.each([true, false])('sends what comes behind it with ignoreStop (stream: %s)', async (stream) => {
    const { ask } = await scriptedOpenAI([{ text: hallucinated, ignoreStop: true }]);
    const { text } = await ask(modelRequest({ api, stream }, { stop }));
    expect(text).toContain('\nObservation:');
    expect(hallucinated.startsWith(text)).toBe(true);
  });

  test.each([true, false])('counts a token for every four characters (stream: %s)', async (stream) => {
    const { ask } = await scriptedOpenAI(['123456789']);
    const { usage } = await ask(modelRequest({ api, stream }));
    expect(usage).toEqual({ promptTokens: 3, completionTokens: 3, totalTokens: 6 });
  });

  test('splits a stream as the script says, a stop string within a chunk too', async () => {
    const { model } = await scriptedOpenAI([{ chunks: ['Hel', 'lo wo', 'rld STOP', ' more'] }]);
    const context = callContext();
    await model.call(modelRequest({ api, stream: true }, { stop: ['ld STOP'] }), context);
    expect(context.pieces).toEqual(['Hel', 'lo wo', 'r']);
  });

  test('sends no usage in a stream unless it is asked for', async () => {
    const { ask } = await scriptedOpenAI(['hi']);
    const { usage } = await ask(modelRequest({ api, stream: true, extra: { stream_options: {} } }));
    expect(usage).toBeUndefined();
  });
});

describe('the scripted server', () => {
  test('records requests without the key', async () => {
    const { server, ask } = await scriptedOpenAI(['hi']);
    await ask();
    const [request] = server.requests;
    const asked = { number: 1, path: '/v1/chat/completions', prompt: 'Say hello.' };
    expect(request).toMatchObject({ ...asked, step: undefined, aborted: false });
    const headers = { authorization: 'Bearer ***', 'content-type': 'application/json' };
    expect(request?.headers).toMatchObject(headers);
    expect(request?.endedAt).toBeGreaterThanOrEqual(request?.startedAt ?? Infinity);
    expect(JSON.stringify(server.requests)).not.toContain('sk-secret-key');
  });

  test.each([
    { method: 'GET', path: '/v1/models', status: 404, says: 'No GET /v1/models here' },
    { method: 'POST', path: '/v1/embeddings', status: 404, says: 'No POST /v1/embeddings here' },
    { method: 'POST', path: '/v1/chat/completions', status: 400, says: 'has no "messages"' },
    { method: 'POST', path: '/v1/completions', status: 400, says: 'has no "prompt"' },
  ])('answers $method $path with an empty body by $status: $says', async ({ method, path, status, says }) => {
    const { server } = await scriptedOpenAI(['hi']);
    const response = await fetch(new URL(path, server.url), { method });
    expect(response.status).toBe(status);
    expect(await response.text()).toContain(JSON.stringify(says).slice(1, -1));
    expect(server.requests).toHaveLength(1);
  });

  test('refuses tool calls on legacy completions', async () => {
    const { ask } = await scriptedOpenAI([{ toolCalls: [{ name: 'x', arguments: {} }] }]);
    const error = await failureOf(ask(modelRequest({ api: 'completions' })));
    expect(error.message).toContain('Only chat completions can carry toolCalls.');
  });

  test('waits before a reply when told to, and stops waiting when the client goes away', async () => {
    const { server, model } = await scriptedOpenAI([
      { text: 'late', delayMs: 60_000 },
      { text: 'soon', delayMs: 5 },
    ]);
    const abort = new AbortController();
    const call = model.call(modelRequest(), callContext({ signal: abort.signal }));
    call.catch(() => {});
    await vi.waitFor(() => expect(server.requests).toHaveLength(1), 30_000);
    abort.abort();
    await expect(call).rejects.toThrow('aborted');
    await vi.waitFor(() => expect(server.requests[0]).toMatchObject({ aborted: true }), 30_000);
    await vi.waitFor(() => expect(server.requests[0]?.endedAt).toBeDefined(), 30_000);
    expect((await model.call(modelRequest(), callContext())).text).toBe('soon');
  });

  test('does not count its own cut as the client going away', async () => {
    const { server, ask } = await scriptedOpenAI([{ text: 'a b c', cutAfterChunks: 1 }]);
    await failureOf(ask(modelRequest({ stream: true })));
    expect(server.requests[0]).toMatchObject({ aborted: false });
  });

  test('closes with a request still open', async () => {
    const server = await startScriptedServer([{ hang: true }]);
    const call = fetch(`${server.url}/completions`, { method: 'POST', body: '{"prompt":"x"}' });
    call.catch(() => {});
    await vi.waitFor(() => expect(server.requests).toHaveLength(1), 30_000);
    await server.close();
    await expect(call).rejects.toThrow('fetch failed');
  });

  test('says so when its port is taken', async () => {
    const { server } = await scriptedOpenAI([]);
    const port = Number(new URL(server.url).port);
    await expect(startScriptedServer([], { port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});

describe('a scripted model', () => {
  const ask = (model: ReturnType<typeof scripted>, step: string) =>
    model.call(modelRequest(), callContext({ step }));

  test('gives each step its own reply, in any order and again when asked again', async () => {
    const model = scripted(['one', { text: 'two', times: 2 }, 'four']);
    const steps = ['2', '2', '4', '1', '3'];
    const replies: string[] = [];
    for (const step of steps) replies.push((await ask(model, step)).text);
    expect(replies).toEqual(['two', 'two', 'four', 'one', 'two']);
    expect(model.requests.map(({ step }) => step)).toEqual(steps);
  });

  test('gives a repeated step the same tool call ids', async () => {
    const model = scripted(['one', { toolCalls: [{ name: 'x', arguments: {} }] }]);
    await ask(model, '1');
    const first = await ask(model, '2');
    expect(first.toolCalls).toEqual([{ id: 'call_2_1', name: 'x', arguments: '{}' }]);
    const { id: _, ...again } = await ask(model, '2');
    expect(first).toMatchObject(again);
  });

  test('answers the requests of tool calls from `calls`', async () => {
    const model = scripted(['one'], { calls: { '1.1': 'for the tool' } });
    expect((await ask(model, '1.1')).text).toBe('for the tool');
    expect((await ask(model, '1')).text).toBe('one');
  });

  test("answers a workflow's second agent from the same entries, or from its own", async () => {
    const calls = { '1/2': 'of the second agent', '2.1': 'for a tool' };
    const model = scripted(['one', 'two'], { calls });
    const replies: string[] = [];
    for (const step of ['1/1', '1/2', '2', '1/2.1']) replies.push((await ask(model, step)).text);
    expect(replies).toEqual(['one', 'of the second agent', 'two', 'for a tool']);
  });

  test.each<{ step: string; says: string }>([
    { step: '2', says: 'The script has 1 reply and this is step 2.' },
    { step: '1.2', says: "No reply for step 1.2: give the scripted model `calls: { '1.2': '…' }`." },
  ])('says what is missing for step $step', async ({ step, says }) => {
    const entries: ScriptEntry[] = ['one'];
    expect((await failureOf(ask(scripted(entries), step))).message).toContain(says);
  });

  test('tells a function script the step', async () => {
    const model = scripted(({ step }) => `step ${step}`);
    expect((await ask(model, '3.1')).text).toBe('step 3.1');
  });

  test('needs no environment, takes nothing from it, and starts nothing before the first call', async () => {
    vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:1/v1');
    vi.stubEnv('OPENAI_API_KEY', 'sk-of-a-real-account');
    onTestFinished(() => void vi.unstubAllEnvs());
    const model = scripted(['one']);
    expect(model.validate?.()).toBeUndefined();
    expect(model.requests).toEqual([]);
    expect((await ask(model, '1')).text).toBe('one');
  });

  test('lets its process end', async () => {
    const program = `
      import { scripted } from './features/testing/index.ts';
      const context = { signal: new AbortController().signal, onText() {}, step: '1', runId: 'r' };
      const params = { api: 'chat', stream: true, requestTimeoutMs: 5000 };
      const request = { model: 'm', prompt: { type: 'text', text: '?' }, stop: [], params };
      const reply = await scripted([{ text: 'done', delayMs: 50, chunkDelayMs: 5 }]).call(request, context);
      console.log(reply.text);
    `;
    const nodeArguments = ['--import', 'tsx', '--input-type=module', '--eval', program];
    const { stdout } = await execa('node', nodeArguments);
    expect(stdout).toBe('done');
  });
});
