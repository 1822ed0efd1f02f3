import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createReplyCache } from '../../../activities/reply-cache.ts';
import type { Model, ModelRequest, ReplyStore } from '../../../adapters/models/model.ts';
import type { RequestParams } from '../../../agent/definition/manifest.ts';
import type { Json } from '../../../agent/values/vocabulary.ts';
import type { Script } from '../../../features/testing/index.ts';
import { callContext, failureOf, modelRequest, scriptedOpenAI } from '../../support/model-calls.ts';

/** A cache before a scripted server whose replies are numbered; `ask` says what came, and from where. */
async function rig({ store, script }: { store?: ReplyStore; script?: Script } = {}) {
  let replies = 0;
  const { server, model } = await scriptedOpenAI(script ?? (() => `reply ${++replies}`));
  const cache = createReplyCache(store);
  return {
    requests: () => server.requests.length,
    async ask(request: ModelRequest, adapter = 'openai') {
      const { reply, modelCalls } = await cache(adapter, model, request, callContext());
      return { text: reply.text, modelCalls };
    },
    whole: (request: ModelRequest) => cache('openai', model, request, callContext()),
  };
}

const coldRequest = (params: Partial<RequestParams> = {}, fields: Parameters<typeof modelRequest>[1] = {}) =>
  modelRequest({ temperature: 0, ...params }, fields);

describe('a cache of replies', () => {
  test('answers the same request again without the model, at no cost', async () => {
    const { whole, requests } = await rig();
    const first = await whole(coldRequest());
    const second = await whole(coldRequest());
    expect(requests()).toBe(1);
    expect(first.modelCalls).toBe(1);
    const reply = { text: 'reply 1', toolCalls: [], finishReason: 'stop' };
    expect(second).toEqual({ reply, modelCalls: 0 });
  });

  test('keeps tool calls as they came', async () => {
    const toolCalls = [{ id: 'call_7', name: 'search', arguments: '{"q": "x"}' }];
    const { whole } = await rig({ script: [{ toolCalls }] });
    const first = await whole(coldRequest());
    const second = await whole(coldRequest());
    expect(second.reply.toolCalls).toEqual(first.reply.toolCalls);
    expect(second.reply.toolCalls).toEqual(toolCalls);
  });

  test.each<{ what: string; params: Partial<RequestParams> }>([
    { what: 'has no temperature', params: { temperature: undefined } },
    { what: 'has another temperature than 0', params: { temperature: 0.1 } },
  ])('asks the model when a request $what', async ({ params }) => {
    const { ask } = await rig();
    await ask(coldRequest(params));
    expect(await ask(coldRequest(params))).toEqual({ text: 'reply 2', modelCalls: 1 });
  });

  test.each<{ what: string; request: ModelRequest; adapter?: string }>([
    { what: 'the adapter', request: coldRequest(), adapter: 'mine' },
    { what: 'the model', request: coldRequest({}, { model: 'other' }) },
    { what: 'the prompt', request: coldRequest({}, { prompt: { type: 'text', text: 'Say goodbye.' } }) },
    { what: 'a stop string', request: coldRequest({}, { stop: ['\nObservation:'] }) },
    { what: 'a parameter', request: coldRequest({ maxTokens: 7 }) },
    { what: 'an extra field', request: coldRequest({ extra: { seed: 1 } }) },
  ])('asks the model when $what differs', async ({ request, adapter }) => {
    const { ask } = await rig();
    await ask(coldRequest());
    expect(await ask(request, adapter)).toEqual({ text: 'reply 2', modelCalls: 1 });
  });

  const ordered = coldRequest({ extra: { a: 1, b: { c: 2, d: 3 } } });
  const disordered = coldRequest({ extra: { b: { d: 3, c: 2 }, a: 1 } });
  test.each<{ what: string; first: ModelRequest; second: ModelRequest }>([
    { what: 'streaming', first: coldRequest({ stream: true }), second: coldRequest({ stream: false }) },
    { what: 'the time-out', first: coldRequest(), second: coldRequest({ requestTimeoutMs: 1 }) },
    { what: 'the order of its fields', first: ordered, second: disordered },
  ])('takes a request for the same, whatever $what', async ({ first, second }) => {
    const { ask } = await rig();
    await ask(first);
    expect(await ask(second)).toEqual({ text: 'reply 1', modelCalls: 0 });
  });

  test('does not keep a reply that was cut', async () => {
    const { ask } = await rig({ script: [{ text: 'half', finishReason: 'length' }, 'whole'] });
    await ask(coldRequest());
    expect(await ask(coldRequest())).toEqual({ text: 'whole', modelCalls: 1 });
  });

  test('does not keep a reply that came with a warning', async () => {
    const cache = createReplyCache();
    const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
    const reply = { text: 'x', toolCalls: [], finishReason: 'stop', usage, warnings: ['left out: stop'] };
    const call = vi.fn<Model['call']>(() => Promise.resolve(reply));
    await cache('mine', { call }, coldRequest(), callContext());
    await cache('mine', { call }, coldRequest(), callContext());
    expect(call).toHaveBeenCalledTimes(2);
  });

  test('does not keep a failure', async () => {
    const { ask } = await rig({ script: [{ status: 400, error: { message: 'no' } }, 'fine'] });
    expect((await failureOf(ask(coldRequest()))).type).toBe('ModelBadRequest');
    expect(await ask(coldRequest())).toEqual({ text: 'fine', modelCalls: 1 });
  });

  test('uses the store it is given', async () => {
    const kept = new Map<string, Json>();
    const store: ReplyStore = {
      get: (key) => Promise.resolve(kept.get(key)),
      set: (key, value) => Promise.resolve(void kept.set(key, structuredClone(value))),
    };
    await (await rig({ store })).ask(coldRequest());
    const { ask, requests } = await rig({ store });
    expect(await ask(coldRequest())).toEqual({ text: 'reply 1', modelCalls: 0 });
    expect(requests()).toBe(0);
    expect([...kept.keys()]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/u)]);
  });
});

describe('a broken store', () => {
  const fine = { get: () => undefined, set: () => undefined };
  const broken = () => {
    throw new Error('disk full');
  };
  const odd = { text: 'a', finishReason: 'stop', toolCalls: [{ id: 1 }] };
  test.each<{ what: string; store: ReplyStore }>([
    { what: 'cannot read', store: { ...fine, get: broken } },
    { what: 'rejects reads', store: { ...fine, get: async () => broken() } },
    { what: 'cannot write', store: { ...fine, set: broken } },
    { what: 'rejects writes', store: { ...fine, set: async () => broken() } },
    { what: 'gives a text', store: { ...fine, get: () => 'reply 0' } },
    { what: 'gives null', store: { ...fine, get: () => null } },
    { what: 'gives a reply without text', store: { ...fine, get: () => ({ finishReason: 'stop' }) } },
    { what: 'gives tool calls of another shape', store: { ...fine, get: () => odd } },
  ])('fails no call where it $what', async ({ store }) => {
    const { ask } = await rig({ store });
    expect(await ask(coldRequest())).toEqual({ text: 'reply 1', modelCalls: 1 });
  });

  test('is not waited for where it never answers', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const never = () => new Promise<undefined>(() => undefined);
    const reply = { text: 'x', toolCalls: [], finishReason: 'stop' };
    const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
    const model = { call: () => Promise.resolve({ ...reply, usage }) };
    const asked = createReplyCache({ get: never, set: never })('m', model, coldRequest(), callContext());
    await vi.runAllTimersAsync();
    expect(await asked).toEqual({ reply: { ...reply, usage }, modelCalls: 1 });
  });
});
