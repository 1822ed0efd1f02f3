import { describe, expect, test, vi } from 'vitest';
import type { Json } from '../../../../../agent/values/vocabulary.ts';
import { azureOpenAI } from '../../../../../adapters/models/openai/azure.ts';
import { openai } from '../../../../../adapters/models/openai/openai.ts';
import { bareServer, callContext, failureOf, modelRequest } from '../../../../support/model-calls.ts';
import {
  call,
  deltas,
  events,
  hasResult,
  json,
  provider,
  toolTurn,
  whole,
} from '../../../../support/provider-servers.ts';

const ask = (model: ReturnType<typeof openai>, params: Parameters<typeof modelRequest>[0] = {}) =>
  model.call(modelRequest(params), callContext());

describe('Azure OpenAI', () => {
  // learn.microsoft.com/azure/ai-services/openai/reference: path, query, header; the first chunk has filters and no choice.
  const filters: Json = { choices: [], prompt_filter_results: [{ prompt_index: 0 }] };
  const hello: Json = { choices: [{ index: 0, delta: { content: 'Hello' }, finish_reason: null }] };
  const end: Json = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };

  test('is asked by deployment and version of the API, with a header of its own for the key', async () => {
    const server = await provider(() => events([filters, hello, end]));
    const named = { endpoint: `${server.url}/`, apiVersion: '2024-10-21', deployment: 'my gpt' };
    const reply = await ask(azureOpenAI({ ...named, apiKey: 'azure-key' }), { stream: true });
    expect(reply).toMatchObject({ text: 'Hello', finishReason: 'stop', usage: undefined });
    const [request] = server.requests;
    expect(request?.path).toBe('/openai/deployments/my%20gpt/chat/completions?api-version=2024-10-21');
    expect(request?.headers).toMatchObject({ 'api-key': 'azure-key' });
    expect(request?.headers).not.toHaveProperty('authorization');
  });

  test('is asked for the deployment that the agent’s model names, with a token of Entra', async () => {
    const server = await provider(() => whole({ content: 'Hello' }, 'stop'));
    const azureADTokenProvider = () => Promise.resolve('entra-token');
    await ask(azureOpenAI({ endpoint: server.url, apiVersion: 'v', azureADTokenProvider }));
    const [request] = server.requests;
    expect(request?.path).toBe('/openai/deployments/test-model/chat/completions?api-version=v');
    expect(request?.headers).toMatchObject({ authorization: 'Bearer entra-token' });
    expect(request?.headers).not.toHaveProperty('api-key');
  });

  test('takes its settings from the variables of the openai package, and says which one is missing', () => {
    for (const name of ['AZURE_OPENAI_ENDPOINT', 'OPENAI_API_VERSION', 'AZURE_OPENAI_API_KEY'])
      vi.stubEnv(name, '');
    const model = azureOpenAI();
    expect(model.validate?.()).toContain('AZURE_OPENAI_ENDPOINT');
    vi.stubEnv('AZURE_OPENAI_ENDPOINT', 'https://mine.openai.azure.com');
    expect(model.validate?.()).toContain('OPENAI_API_VERSION');
    vi.stubEnv('OPENAI_API_VERSION', '2024-10-21');
    expect(model.validate?.()).toContain('AZURE_OPENAI_API_KEY');
    vi.stubEnv('AZURE_OPENAI_API_KEY', 'k');
    expect(model.validate?.()).toBeUndefined();
    vi.unstubAllEnvs();
  });

  test('without such a deployment says where to look, without the key', async () => {
    const message = 'The API deployment for this resource does not exist.';
    const server = await provider(() => json(404, { error: { code: 'DeploymentNotFound', message } }));
    const model = azureOpenAI({ endpoint: server.url, apiVersion: 'v', apiKey: 'azure-key' });
    const failure = await failureOf(ask(model));
    expect(failure).toMatchObject({ type: 'ModelNotFound', retryable: false });
    expect(failure.message).toContain('AZURE_OPENAI_ENDPOINT');
    expect(failure.message).not.toContain('azure-key');
  });
});

describe('OpenRouter', () => {
  // openrouter.ai/docs/api/reference/errors-and-debugging: 200 and the error in the body, or in the stream beside a choice.
  const error = { code: 502, message: 'Upstream is down', metadata: { provider_name: 'x' } };
  const failed: Json = { error, choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }] };

  const beside: Json = { index: 0, error, message: { content: '' }, finish_reason: 'error' };
  test.each([
    ['in the body', () => json(200, { error })],
    ['beside the message', () => json(200, { choices: [beside] })],
    ['in the stream', () => events([{ choices: [{ index: 0, delta: { content: 'Hel' } }] }, failed])],
  ])('is asked again where it fails %s', async (_where, answer) => {
    const server = await provider(answer);
    const model = openai({ baseURL: `${server.url}/api/v1`, apiKey: 'k' });
    const failure = await failureOf(ask(model, { stream: true }));
    expect(failure).toMatchObject({ type: 'ModelServerError', retryable: true });
  });

  test('may send comments while it waits', async () => {
    const { headers = {}, body } = deltas([{ content: 'Hello' }], 'stop');
    const waits = ': OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n';
    const server = await provider(() => ({ headers, body: waits + String(body) }));
    const model = openai({ baseURL: `${server.url}/api/v1`, apiKey: 'k' });
    expect(await ask(model, { stream: true })).toMatchObject({ text: 'Hello' });
  });
});

describe('a local server', () => {
  test('Ollama numbers all calls 0, brings each whole, and needs no key', async () => {
    vi.stubEnv('OPENAI_API_KEY', '');
    const calls = ['call_1', 'call_2'].map((id) => ({ tool_calls: [{ index: 0, ...call(id) }] }));
    const thinks = { role: 'assistant', content: '', reasoning: 'Hm.' };
    const server = await provider((request) =>
      hasResult(request) ? deltas([{ content: 'Sunny.' }], 'stop') : deltas([thinks, ...calls], 'tool_calls'),
    );
    const { first, second } = await toolTurn(openai({ baseURL: `${server.url}/v1` }));
    vi.unstubAllEnvs();
    expect(first.toolCalls.map(({ id }) => id)).toEqual(['call_1', 'call_2']);
    expect(second.text).toBe('Sunny.');
  });

  test('LM Studio answers a wrong path with 200: the error blames the base URL', async () => {
    // lmstudio-ai/lmstudio-bug-tracker#618
    const error = 'Unexpected endpoint or method. (POST /chat/completions)';
    const server = await provider(() => json(200, { error }));
    const failure = await failureOf(ask(openai({ baseURL: server.url }), { stream: true }));
    expect(failure).toMatchObject({ type: 'ModelNotFound', retryable: false });
    expect(failure.message).toContain('/v1');
  });

  test('for chats only does not say so: the message names the other API', async () => {
    const url = await bareServer((_request, response) => response.writeHead(404).end('Not Found'));
    const model = openai({ baseURL: url });
    expect((await failureOf(ask(model, { api: 'completions' }))).message).toContain("api: 'chat'");
    expect((await failureOf(ask(model))).message).not.toContain("api: 'chat'");
  });

  test('has not counted where its usage is zeros, or it sends none', async () => {
    const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
    const server = await provider(() => whole({ content: 'Hello' }, 'stop', { usage }));
    const reply = await ask(openai({ baseURL: `${server.url}/v1` }));
    expect(reply).toMatchObject({ text: 'Hello', usage: undefined });
  });
});

describe('a reply that was cut', () => {
  // `model_length`: docs.mistral.ai/api. `max_tokens`: the word of Anthropic's own API, which gateways pass on.
  test.each(['length', 'model_length', 'max_tokens', 'MAX_TOKENS'])(
    'is known by the reason %s',
    async (reason) => {
      const server = await provider(() => whole({ content: 'Hel' }, reason));
      expect((await ask(openai({ baseURL: `${server.url}/v1` }))).finishReason).toBe('length');
    },
  );
});
