import { describe, expect, test } from 'vitest';
import { probeModels } from '../../../../cli/doctor/probe-models.ts';
import { isScripted, shownModel } from '../../../../cli/doctor/shown-model.ts';
import { modelsOf } from '../../../../agent/definition/agent-models.ts';
import type { AgentManifest } from '../../../../agent/definition/manifest.ts';
import { missingParts } from '../../../../agent/rules/missing-parts.ts';
import { withModelOf } from '../../../../agent/definition/handed-over.ts';
import { type Model, defineModel } from '../../../../adapters/models/model.ts';
import { openai } from '../../../../adapters/models/openai/openai.ts';
import { scripted } from '../../../../features/testing/index.ts';
import { testConfig } from '../../../../features/testing/test-config.ts';
import { agentTool } from '../../../../adapters/tools/agent-tool.ts';
import { agent, loadedConfig, problemOf } from '../../../support/config.ts';

const own = defineModel({ call: () => Promise.reject(new Error('not asked')) });

/** The models of an agent that is defined so, as they are recorded. */
function recorded(model: unknown, config: object = {}, overrides: object = {}) {
  const manifest = loadedConfig({ agents: [agent({ model })], ...config }).manifest('a', overrides);
  return manifest && modelsOf(manifest);
}

describe('a list of models', () => {
  test('is recorded in its order, with names, prices and types of failures', () => {
    const prices = { strong: { input: 2, output: 8 }, 'a/3': { input: 0, output: 0 } };
    const cheap = openai('gpt-4o-mini', { baseURL: 'http://127.0.0.1:1/v1', apiKey: 'k' });
    const list = ['strong', { model: 'cheap', on: ['ModelTimeout'] }, own, 'other'];
    expect(recorded(list, { prices, models: { cheap } })).toEqual([
      { adapter: 'openai', model: 'strong', price: prices.strong },
      { adapter: 'cheap', model: 'gpt-4o-mini', on: ['ModelTimeout'] },
      { adapter: 'agent:a/3', model: 'a/3', price: prices['a/3'] },
      { adapter: 'openai', model: 'other' },
    ]);
  });

  test('of one model is that model, and the recorded agent has no list', () => {
    const manifest = (model: unknown) => loadedConfig({ agents: [agent({ model })] }).manifest('a', {});
    expect(manifest(['m'])).toStrictEqual(manifest('m'));
    expect(manifest('m')).not.toHaveProperty('fallbacks', expect.anything());
  });

  test('is replaced by the model that a run names', () => {
    expect(recorded(['m', 'n'], {}, { model: 'o' })).toEqual([{ adapter: 'openai', model: 'o' }]);
    expect(recorded([own, 'n'], {}, { model: 'o' })).toEqual([{ adapter: 'agent:a', model: 'o' }]);
  });

  const types =
    'ModelAuthenticationError, ModelPermissionDenied, ModelNotFound, ModelBadRequest, ModelContextTooLong, ModelRateLimited, ModelConflict, ModelServerError, ModelConnectionError, ModelTimeout, ModelInvalidResponse, ModelStreamCut';
  const NO_MODEL =
    'is not a model: give a name, openai(), fromVercelModel() of a model of the AI SDK, scripted([…]) or defineModel({ call })';
  test.each<[problem: string, model: unknown]>([
    ['model: is an empty list: give one model at least', []],
    ['model.1: is empty', ['m', '']],
    [`model.1: ${NO_MODEL}`, ['m', 5]],
    [`model.1.model: ${NO_MODEL}`, ['m', { model: {} }]],
    ['model.1: unknown option when (known: model, on)', ['m', { model: 'n', when: [] }]],
    [
      `model.1.on: is not a list of types of failures (known: ${types})`,
      ['m', { model: 'n', on: ['outage'] }],
    ],
    [`model.1.on: is not a list of types of failures (known: ${types})`, ['m', { model: 'n', on: [] }]],
    [
      'model.0.on: is for the models after the first: the first one is always asked',
      [{ model: 'm', on: ['ModelTimeout'] }],
    ],
  ])('is refused: %s', (problem, model) => {
    expect(problemOf({ agents: [agent({ model })] })).toBe(`the config: agent "a": ${problem}.`);
  });

  test.each<[problem: string, config: object]>([
    ['Agent "a" lists the model "m" twice. Leave one out.', { agents: [agent({ model: ['m', 'n', 'm'] })] }],
    [
      `Agent "a": its model has no name to be asked by. Write openai('gpt-4o-mini', { … }), or put the model into the config's models under its name.`,
      { agents: [agent({ model: ['m', openai({ apiKey: 'k' })] })] },
    ],
  ])('is refused: %s', (problem, config) => {
    expect(problemOf(config)).toBe(problem);
  });

  test('needs the price of each model for a budget of money, also that of a sub-agent', () => {
    const prices = { m: { input: 1, output: 1 } };
    const below = agent({ name: 'below', model: ['m', 'x'] });
    const tools = [agentTool({ name: 'asks', description: 'Asks.', agent: 'below' })];
    const above = agent({ model: ['m', 'y'], tools, budget: { cost: 1 } });
    expect(problemOf({ agents: [above, below], prices })).toContain(
      'there is no price of "y", "x" (agent "below").',
    );
  });

  test('cannot be asked from here if one of its models cannot', () => {
    const keyless = { ...own, validate: () => 'The second model has no key.' };
    const loaded = loadedConfig({ agents: [agent({ model: [own, 'keyless'] })], models: { keyless } });
    expect(loaded.validate('a')).toBe('The second model has no key.');
  });
});

test('a fork with another model has the price of that model, and no models after it', () => {
  const prices = { m: { input: 1, output: 1 }, o: { input: 2, output: 2 } };
  const loaded = loadedConfig({ agents: [agent({ model: ['m', 'n'], maxTokens: 7 })], prices });
  const [pinned, other] = [loaded.manifest('a', {}), loaded.manifest('a', { model: 'o' })] as [
    AgentManifest,
    AgentManifest,
  ];
  expect(modelsOf(withModelOf(pinned, other))).toEqual([{ adapter: 'openai', model: 'o', price: prices.o }]);
  expect(modelsOf(withModelOf(other, pinned))).toEqual(modelsOf(pinned));
});

test('a config that lacks a later model of a run is named by `reloop check`', () => {
  const manifest = loadedConfig({
    agents: [agent({ model: ['m', 'gone', own] })],
    models: { gone: own },
  }).manifest('a', {});
  const none = new Set<string>();
  const parts = {
    agents: none,
    tools: new Map(),
    models: new Set(['openai']),
    kinds: new Set(['tool-calling']),
    queues: none,
  };
  expect(manifest && missingParts(manifest, { ...parts, hasParser: () => true })).toEqual([
    'The config has no model "gone": a model call that comes to it fails.',
    'The config has no agent "a" with its own model: a model call that comes to it fails.',
  ]);
});

test('a list in an agent of a test is asked only if all its models are scripted', () => {
  const recordedIn = (model: object[], options = {}) => {
    const manifest = testConfig(
      { agents: [{ name: 'a', model: model as Model[] }] },
      options,
    ).loaded.manifest('a', {});
    return manifest && modelsOf(manifest).map(({ adapter }) => adapter);
  };
  expect(recordedIn([scripted([]), scripted([])])).toEqual(['agent:a', 'agent:a/2']);
  expect(recordedIn([scripted([]), own])).toEqual(['test:a']);
  expect(recordedIn([scripted([]), own], { allowRealModels: true })).toEqual(['agent:a', 'agent:a/2']);
  expect(recordedIn([scripted([]), scripted([])], { models: { a: [] } })).toEqual(['test:a']);
});

test('the models of a list are shown in their order, and all of them are probed', async () => {
  const good = defineModel({
    call: () => Promise.resolve({ text: '', toolCalls: [], finishReason: 'stop' }),
  });
  const model = ['good', { model: 'bad' }, scripted([])];
  const loaded = loadedConfig({
    models: { good, bad: { ...own, modelName: 'bad-1' } },
    agents: [
      agent({ model }),
      agent({ name: 'b', model: ['good', 'bad'] }),
      agent({ name: 'c', model: ['good'] }),
    ],
  });
  expect(shownModel(loaded, 'a')).toBe('good, then bad-1, then scripted');
  expect(['a', 'b'].map((name) => isScripted(loaded, name))).toEqual([true, false]);
  const probed = await probeModels(loaded, ['b', 'c']);
  expect(probed.get('b')).toMatchObject({ type: 'failed', problem: 'bad (bad-1): not asked' });
  expect(probed.get('c')).toMatchObject({ type: 'answered' });
});
