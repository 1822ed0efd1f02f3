import { expect, test } from 'vitest';
import { z } from 'zod';
import { checkModels } from '../../../../cli/doctor/check-project.ts';
import { probeModels } from '../../../../cli/doctor/probe-models.ts';
import { isScripted, shownModel } from '../../../../cli/doctor/shown-model.ts';
import { createLoadedConfig } from '../../../../config/load/loaded-config.ts';
import { openai } from '../../../../adapters/models/openai/openai.ts';
import { defineAgent, defineModel, defineTool } from '../../../../index.ts';
import { scripted } from '../../../../features/testing/index.ts';
import { type LoopbackAnswer, deadHost, loopback } from '../../../support/loopback.ts';
import { bareServer } from '../../../support/model-calls.ts';
import { json, provider, whole } from '../../../support/provider-servers.ts';

test('asks each model once for one token and says what is wrong with those that do not answer', async () => {
  const good = await provider(() => whole({ content: '' }, 'length'));
  const message = 'Could not finish the message because max_tokens or model output limit was reached.';
  const reasoning = await provider(() => json(400, { error: { message, type: 'invalid_request_error' } }));
  const locked = await provider(() => json(401, { error: { message: 'no such key', type: 'x' } }));
  const gateway = await provider(() => json(400, { error: { message: 'No connected db.', type: 'x' } }));
  const chatOnly = await bareServer((_request, response) => response.writeHead(404).end('Not Found'));
  const at = (url: string) => openai('good', { baseURL: `${url}/v1`, apiKey: 'probe-key' });
  const loaded = createLoadedConfig({
    models: { good: at(good.url) },
    agents: [
      defineAgent({ name: 'first', model: 'good' }),
      defineAgent({ name: 'second', model: 'good' }),
      defineAgent({ name: 'thinker', model: at(reasoning.url) }),
      defineAgent({ name: 'locked', model: at(locked.url) }),
      defineAgent({ name: 'misnamed', model: at(gateway.url) }),
      defineAgent({
        name: 'old',
        model: openai('m', { baseURL: chatOnly, apiKey: 'k' }),
        api: 'completions',
      }),
      defineAgent({ name: 'nobody', model: at(`http://${await deadHost()}`) }),
    ],
  });
  const probed = await probeModels(loaded, [...loaded.agents.keys()]);
  expect(good.requests).toHaveLength(1);
  expect(good.requests[0]?.body).toMatchObject({ model: 'good', max_tokens: 1 });
  const problems = [...probed].map(([, answer]) => (answer.type === 'failed' ? answer.problem : answer.type));
  const misnamed = /400 No connected db\. Look at the apiKey .*, the model's name "good" and /u;
  expect(problems).toEqual([
    'answered',
    'answered',
    'answered',
    expect.stringContaining('Check the apiKey that the config gives'),
    expect.stringMatching(misnamed),
    expect.stringContaining("api: 'chat'"),
    expect.stringContaining('ECONNREFUSED'),
  ]);
  expect(probed.get('misnamed')).toMatchObject({ refused: true });
  expect(probed.get('nobody')).toMatchObject({ refused: false });
});

const answer = whole({ content: 'Hi' }, 'stop');

/** Local servers by what tells their window: the path, and the answer. */
const LOCAL: { [server: string]: { [request: string]: LoopbackAnswer } } = {
  'vLLM, by its list of models': {
    'GET /v1/models': json(200, {
      data: [
        { id: 'other', max_model_len: 64 },
        { id: 'small', max_model_len: 2048 },
      ],
    }),
  },
  'Ollama, by its loaded models': {
    'GET /v1/models': json(200, { data: [{ id: 'small:latest' }] }),
    'GET /api/ps': json(200, {
      models: [
        { name: 'other:latest', context_length: 64 },
        { name: 'small:latest', context_length: 2048 },
      ],
    }),
  },
  'Ollama, by the parameters of a model that is not loaded': {
    'GET /api/ps': json(200, { models: [] }),
    'POST /api/show': json(200, { parameters: 'stop      "<|end|>"\nnum_ctx      2048' }),
  },
  'llama.cpp, by its properties': {
    'GET /v1/models': json(200, { data: [{ id: 'small', meta: { n_ctx_train: 8192 } }] }),
    'GET /props': json(200, { default_generation_settings: { n_ctx: 2048 } }),
  },
};

test.for(Object.entries(LOCAL))('reads the window of %s', async ([, answers]) => {
  const { url, requests } = await loopback(({ method, path }) =>
    path === '/v1/chat/completions' ? answer : (answers[`${method} ${path}`] ?? { status: 404 }),
  );
  const model = openai('small', {
    baseURL: `${url}/v1/`,
    apiKey: 'k',
    headers: () => ({ 'x-gateway': 'g' }),
  });
  const loaded = createLoadedConfig({ agents: [defineAgent({ name: 'a', model })] });
  expect((await probeModels(loaded, ['a'])).get('a')).toMatchObject({ type: 'answered', window: 2048 });
  for (const { headers } of requests)
    expect(headers).toMatchObject({ authorization: 'Bearer k', 'x-gateway': 'g' });
});

test('says nothing of a window where the server tells none, answers nonsense, or redirects', async () => {
  const elsewhere = await loopback({ body: { default_generation_settings: { n_ctx: 2048 } } });
  const strange: LoopbackAnswer[] = [
    { status: 404 },
    { body: '<html>' },
    json(200, {
      data: [{ id: 'small', max_model_len: -1 }],
      models: [{ name: 'small', context_length: '2' }],
    }),
    json(200, { data: null, models: 3, default_generation_settings: { n_ctx: 0 } }),
    { status: 307, headers: { location: `${elsewhere.url}/props` } },
    { fault: 'break' },
  ];
  const agents = await Promise.all(
    strange.map(async (told, index) => {
      const { url } = await loopback(({ path }) => (path === '/v1/chat/completions' ? answer : told));
      const model = openai('small', { baseURL: `${url}/v1`, apiKey: 'k' });
      return defineAgent({ name: `a${index}`, model });
    }),
  );
  const failing = defineModel({
    call: () => Promise.resolve({ text: 'Hi', toolCalls: [], finishReason: 'stop' }),
    serverWindow: () => Promise.reject(new Error('no window')),
  });
  agents.push(defineAgent({ name: 'own', model: failing }));
  const loaded = createLoadedConfig({ agents });
  const probed = await probeModels(loaded, [...loaded.agents.keys()]);
  const windows = [...probed.values()].map((found) => (found.type === 'answered' ? found.window : found));
  expect(windows).toEqual(agents.map(() => undefined));
  expect(elsewhere.requests).toEqual([]);
});

test('compares the smallest window of the servers with the one that compaction counts on', async () => {
  const server = async (tokens: number) => {
    const told = json(200, { data: [{ id: 'm', max_model_len: tokens }] });
    const { url } = await loopback(({ method }) => (method === 'POST' ? answer : told));
    return openai('m', { baseURL: `${url}/v1`, apiKey: 'k' });
  };
  const [large, small] = [await server(8192), await server(4096)];
  const agent = (name: string, more: Partial<Parameters<typeof defineAgent>[0]>) =>
    defineAgent({ name, model: large, ...more });
  const loaded = createLoadedConfig({
    agents: [
      agent('none', {}),
      agent('fits', { compaction: { window: 8192 } }),
      agent('late', { model: [large, small], compaction: { window: 8192 } }),
    ],
  });
  expect(await checkModels(loaded, true)).toEqual([
    {
      name: 'agent none',
      state: 'ok',
      found: expect.stringMatching(/answered in .*a window of 8,192 tokens/u),
    },
    { name: 'agent fits', state: 'ok', found: expect.stringContaining('a window of 8,192 tokens') },
    {
      name: 'agent late',
      state: 'problem',
      exitCode: 1,
      found: expect.stringContaining('a window of 4,096 tokens'),
      advice: expect.stringMatching(/counts on a window of 8,192 tokens.*compaction: \{ window: 4096 \}/u),
    },
  ]);
});

test('sends the tools of an agent, and tells the advice of a model that takes none', async () => {
  const tools = [
    defineTool({
      name: 'weather',
      description: 'Tells the weather.',
      input: z.object({ city: z.string() }),
      run: () => '',
    }),
  ];
  const words = 'registry.ollama.ai/library/small:latest does not support tools';
  const refusing = await provider(({ body }) =>
    body['tools'] === undefined
      ? answer
      : json(400, { error: { message: words, type: 'invalid_request_error' } }),
  );
  const model = openai('small', { baseURL: `${refusing.url}/v1`, apiKey: 'k' });
  const loaded = createLoadedConfig({
    models: { small: model },
    agents: [
      defineAgent({ name: 'caller', model: 'small', tools }),
      defineAgent({ name: 'again', model: 'small', tools }),
      defineAgent({ name: 'plain', model: 'small' }),
      defineAgent({ name: 'prose', model: 'small', tools, kind: 'zero-shot' }),
    ],
  });
  const probed = await probeModels(loaded, [...loaded.agents.keys()]);
  const refused = { type: 'failed', refused: true, problem: expect.stringContaining("kind: 'zero-shot'") };
  expect(probed.get('caller')).toMatchObject(refused);
  expect(probed.get('again')).toMatchObject(refused);
  expect(probed.get('plain')).toMatchObject({ type: 'answered' });
  expect(probed.get('prose')).toMatchObject({ type: 'answered' });
  expect(refusing.requests).toHaveLength(2);
  const sent = refusing.requests.map(({ body }) => body['tools']);
  expect(sent).toContainEqual([
    {
      type: 'function',
      function: expect.objectContaining({ name: 'weather', parameters: expect.anything() }),
    },
  ]);
});

test('calls a model that is given in place by its own word, not by its agent’s name', () => {
  const own = defineModel({ call: () => Promise.reject(new Error('not asked')) });
  const models = [scripted([]), 'demo', 'gpt', own, 'gpt-4o'];
  const names = ['a', 'b', 'c', 'd', 'e'];
  const agents = models.map((model, index) => defineAgent({ name: names[index] ?? '', model }));
  const loaded = createLoadedConfig({ models: { demo: scripted([]), gpt: own }, agents });
  const shown = names.map((agent) => shownModel(loaded, agent));
  expect(shown).toEqual(['scripted', 'demo (scripted)', 'gpt', 'd', 'gpt-4o']);
  expect(['a', 'b', 'c'].map((agent) => isScripted(loaded, agent))).toEqual([true, true, false]);
});
