import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { defineModel } from '../../../../adapters/models/model.ts';
import { azureOpenAI } from '../../../../adapters/models/openai/azure.ts';
import { openai } from '../../../../adapters/models/openai/openai.ts';
import { toolCalling } from '../../../../agent/kinds/tool-calling.ts';
import { agent, loadedConfig, tool } from '../../../support/config.ts';
import { sampleTool } from '../../../support/manifest.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('a loaded config', () => {
  const shared = tool({ input: z.object({ city: z.string() }), timeout: '2s', effects: 'none' });

  test('has every agent and every tool once, however many agents list it', () => {
    const { agents, tools } = loadedConfig({
      agents: [agent({ tools: [shared] }), agent({ name: 'b', tools: [shared] })],
      tools: [shared, tool({ name: 'Python REPL' })],
    });
    expect([...agents.keys()]).toEqual(['a', 'b']);
    expect([...tools.keys()]).toEqual(['t', 'Python REPL']);
  });

  test('fills in every default of an agent and of a tool', () => {
    const modelRetry = { maxAttempts: 5, initialMs: 500, backoff: 2, maximumMs: 30_000 };
    expect(loadedConfig({ agents: [agent({ tools: [tool()] })] }).manifest('a', {})).toEqual({
      loopVersion: 1,
      name: 'a',
      kind: 'tool-calling',
      adapter: 'openai',
      model: 'gpt-4o-mini',
      params: { api: 'chat', stream: true, requestTimeoutMs: 600_000 },
      prompt: { ...toolCalling.prompt },
      stop: [],
      stoppedOutput: 'Agent stopped due to max iterations.',
      handleParsingErrors: true,
      maxExecutionTimeMs: null,
      maxIterations: 15,
      trimIntermediateSteps: -1,
      onModelFailure: 'ask',
      modelRetry,
      tools: [sampleTool('t', 'Does it.')],
    });
  });

  test('records what a definition says', () => {
    const same = {
      maxIterations: null,
      stopMessage: { budget: 'No more.' },
      handleParsingErrors: 'Again!',
      trimIntermediateSteps: 3,
      stop: ['END'],
    };
    const params = { api: 'completions', stream: false, temperature: 0, maxTokens: 256, extra: { seed: 1 } };
    const times = { maxExecutionTime: '10m', requestTimeout: 5_000 };
    const own = {
      kind: 'zero-shot',
      prompt: { prefix: 'Be brief.' },
      earlyStopping: 'force',
      tools: [shared],
    };
    const { manifest } = loadedConfig({ agents: [agent({ ...same, ...params, ...times, ...own })] });
    expect(manifest('a', {})).toMatchObject({
      ...same,
      prompt: { prefix: 'Be brief.', suffix: expect.stringContaining('{agent_scratchpad}') },
      maxExecutionTimeMs: 600_000,
      params: { ...params, requestTimeoutMs: 5_000 },
      tools: [{ name: 't', timeoutMs: 2_000, effects: 'none', inputSchema: { required: ['city'] } }],
    });
  });

  test('records what becomes of a model call that fails, each part with a default of its own', () => {
    const made = loadedConfig({
      agents: [agent({ onModelFailure: 'fail', modelRetry: { maxAttempts: 8, maximumInterval: '1m' } })],
    });
    expect(made.manifest('a', {})).toMatchObject({
      onModelFailure: 'fail',
      modelRetry: { maxAttempts: 8, initialMs: 500, backoff: 2, maximumMs: 60_000 },
    });
  });

  test('takes an option that is there as undefined for one that is not there', () => {
    const fields = { maxIterations: undefined, temperature: undefined, onModelFailure: undefined };
    const manifest = (given: object) =>
      JSON.stringify(loadedConfig({ agents: [agent(given)] }).manifest('a', {}));
    expect(manifest(fields)).toBe(manifest({}));
  });

  test('takes 0 and no limit for what they are', () => {
    const fields = { maxIterations: 0, maxExecutionTime: 0, stop: [], handleParsingErrors: '' };
    const recorded = { maxIterations: 0, maxExecutionTimeMs: 0, stop: [], handleParsingErrors: '' };
    expect(loadedConfig({ agents: [agent(fields)] }).manifest('a', {})).toMatchObject(recorded);
  });

  test('lets a single run change its limits and its model', () => {
    const { manifest } = loadedConfig({ agents: [agent({ maxIterations: 3, maxExecutionTime: '1m' })] });
    const unlimited = { maxIterations: null, maxExecutionTimeMs: null, model: 'other' };
    expect(manifest('a', unlimited)).toMatchObject(unlimited);
    expect(manifest('a', { maxIterations: 0 })).toMatchObject({
      maxIterations: 0,
      maxExecutionTimeMs: 60_000,
    });
  });

  test('has nothing to say of an agent that it does not know', () => {
    expect(loadedConfig({ agents: [agent()] }).manifest('b', {})).toBeUndefined();
  });

  const named = openai('gpt-4o-mini', { apiKey: 'k' });
  test.each<[what: string, model: unknown, override: string | undefined, adapter: string, name: string]>([
    ['a name is asked through openai()', 'gpt-4o-mini', undefined, 'openai', 'gpt-4o-mini'],
    ['a name of the config is asked there', 'local', undefined, 'local', 'local'],
    ['a model in place is known by its agent', defineModel({ call: unasked }), undefined, 'agent:a', 'a'],
    ["a run's own name goes to the same place", 'local', 'llama', 'local', 'llama'],
    ["a run's own name of the config goes there", 'gpt-4o-mini', 'local', 'local', 'local'],
    ['also for a model in place', defineModel({ call: unasked }), 'llama', 'agent:a', 'llama'],
    ['a model in place may bring its name', named, undefined, 'agent:a', 'gpt-4o-mini'],
    ['an Azure deployment is one', azureOpenAI({ deployment: 'mini' }), undefined, 'agent:a', 'mini'],
    ['a model of the config may bring its name', 'named', undefined, 'named', 'gpt-4o'],
    ["a run's own name of such a model is asked by that", 'gpt-4o-mini', 'named', 'named', 'gpt-4o'],
  ])('knows which model is meant: %s', (_what, model, override, adapter, name) => {
    const made = loadedConfig({
      agents: [agent({ model })],
      models: { local: defineModel({ call: unasked }), named: openai('gpt-4o') },
    });
    const overrides = override === undefined ? {} : { model: override };
    expect(made.manifest('a', overrides)).toMatchObject({ adapter, model: name });
    expect(made.models.has(adapter)).toBe(true);
  });

  test.each([
    ["openai('gpt-4o-mini', { … })", openai({ baseURL: 'http://127.0.0.1:1/v1' })],
    ["azureOpenAI({ deployment: 'gpt-4o' })", azureOpenAI()],
  ])('refuses a model in place that would be asked for the agent’s name: write %s', (hint, model) => {
    expect(() => loadedConfig({ agents: [agent({ model })] })).toThrow(
      `Agent "a": its model has no name to be asked by. Write ${hint}, or put the model into`,
    );
    expect(loadedConfig({ agents: [agent({ model: 'mini' })], models: { mini: model } }).agents.size).toBe(1);
    expect(() => openai(' ')).toThrow(TypeError);
  });

  test('says before anything starts that there is no model to ask', () => {
    vi.stubEnv('OPENAI_API_KEY', undefined);
    vi.stubEnv('OPENAI_BASE_URL', undefined);
    const own = agent({ name: 'b', model: defineModel({ call: unasked }) });
    const made = loadedConfig({ agents: [agent(), own] });
    expect(made.validate('a')).toMatch(/OPENAI_API_KEY/u);
    expect(made.validate('b')).toBeUndefined();
    vi.stubEnv('OPENAI_API_KEY', 'sk-secret-key');
    expect(made.validate('a')).toBeUndefined();
  });

  test('has the task queue of the config, else of the environment, else its own', () => {
    vi.stubEnv('TEMPORAL_TASK_QUEUE', 'theirs');
    expect(loadedConfig({ agents: [agent()], taskQueue: 'mine' }).taskQueue).toBe('mine');
    expect(loadedConfig({ agents: [agent()] }).taskQueue).toBe('theirs');
    vi.stubEnv('TEMPORAL_TASK_QUEUE', undefined);
    expect(loadedConfig({ agents: [agent()] }).taskQueue).toBe('reloop');
  });
});

function unasked(): Promise<never> {
  return Promise.reject(new Error('No test asks a model.'));
}
