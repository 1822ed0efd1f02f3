import { expect, test } from 'vitest';
import { probeModels } from '../../cli/doctor/probe-models.ts';
import { isScripted, shownModel } from '../../cli/doctor/shown-model.ts';
import { createLoadedConfig } from '../../config/load/loaded-config.ts';
import { openai } from '../../models/openai/openai.ts';
import { defineAgent, defineModel } from '../../index.ts';
import { scripted } from '../../testing.ts';
import { deadHost } from '../support/loopback.ts';
import { bareServer } from '../support/model-calls.ts';
import { json, provider, whole } from '../support/provider-servers.ts';

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
