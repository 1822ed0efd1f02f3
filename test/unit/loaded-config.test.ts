import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { defineModel } from '../../models/model.ts';
import { agent, loadedConfig, tool } from '../support/config.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('a loaded config', () => {
  const shared = tool({
    input: z.object({ city: z.string() }),
    timeout: '2s',
    effects: 'none',
  });

  test('has every agent and every tool once, however many agents list it', () => {
    const { agents, tools } = loadedConfig({
      agents: [agent({ tools: [shared] }), agent({ name: 'b', tools: [shared] })],
      tools: [shared, tool({ name: 'Python REPL' })],
    });
    expect([...agents.keys()]).toEqual(['a', 'b']);
    expect([...tools.keys()]).toEqual(['t', 'Python REPL']);
  });

  test('fills in every default of an agent and of a tool', () => {
    expect(loadedConfig({ agents: [agent({ tools: [tool()] })] }).manifest('a', {})).toMatchInlineSnapshot(`
      {
        "adapter": "openai",
        "askTimeout": undefined,
        "budget": undefined,
        "handleParsingErrors": true,
        "kind": "zero-shot",
        "loopVersion": 5,
        "maxExecutionTimeMs": null,
        "maxIterations": 15,
        "memory": undefined,
        "model": "gpt-4o-mini",
        "modelRetry": {
          "backoff": 2,
          "initialMs": 500,
          "maxAttempts": 5,
          "maximumMs": 30000,
        },
        "name": "a",
        "onModelFailure": "ask",
        "output": undefined,
        "params": {
          "api": "chat",
          "requestTimeoutMs": 600000,
          "stream": true,
        },
        "parser": undefined,
        "price": undefined,
        "prompt": {
          "formatInstructions": "Keep to this format:

      Question: the question you have to answer
      Thought: what you think should be done next
      Action: the tool to use, one of [{tool_names}]
      Action Input: what to give to the tool
      Observation: what the tool returned
      ... (Thought, Action, Action Input and Observation may come round as often as needed)
      Thought: I now know the final answer
      Final Answer: the answer to the question that was asked",
          "prefix": "Answer the question below as well as you can. These tools are at your disposal:",
          "suffix": "Let us begin.

      Question: {input}
      Thought:{agent_scratchpad}",
          "system": "",
        },
        "stop": [
          "
      Observation:",
          "
      	Observation:",
        ],
        "stoppedOutput": "Agent stopped due to iteration limit or time limit.",
        "tools": [
          {
            "description": "Does it.",
            "effects": "idempotent",
            "inputSchema": null,
            "maxOutputChars": 100000,
            "name": "t",
            "onFailure": "ask",
            "retry": {
              "backoff": 2,
              "initialMs": 1000,
              "maxAttempts": 3,
              "maximumMs": 30000,
            },
            "returnDirect": false,
            "timeoutMs": 300000,
          },
        ],
        "trimIntermediateSteps": -1,
      }
    `);
  });

  test('records what a definition says', () => {
    const fields = {
      prompt: { prefix: 'Be brief.' },
      maxIterations: null,
      maxExecutionTime: '10m',
      earlyStopping: 'force',
      handleParsingErrors: 'Again!',
      trimIntermediateSteps: 3,
      api: 'completions',
      stream: false,
      temperature: 0,
      maxTokens: 256,
      requestTimeout: 5_000,
      extra: { seed: 1 },
      stop: ['END'],
      tools: [shared],
    };
    expect(loadedConfig({ agents: [agent(fields)] }).manifest('a', {})).toMatchObject({
      prompt: { prefix: 'Be brief.', suffix: expect.stringContaining('{agent_scratchpad}') },
      maxIterations: null,
      maxExecutionTimeMs: 600_000,
      handleParsingErrors: 'Again!',
      trimIntermediateSteps: 3,
      params: {
        api: 'completions',
        stream: false,
        temperature: 0,
        maxTokens: 256,
        requestTimeoutMs: 5_000,
        extra: { seed: 1 },
      },
      stop: ['END'],
      tools: [{ name: 't', timeoutMs: 2_000, effects: 'none', inputSchema: { required: ['city'] } }],
    });
  });

  test('records what becomes of a model call that fails, each part with a default of its own', () => {
    const made = loadedConfig({
      agents: [
        agent({
          onModelFailure: 'fail',
          modelRetry: { maxAttempts: 8, maximumInterval: '1m' },
        }),
      ],
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
    expect(loadedConfig({ agents: [agent(fields)] }).manifest('a', {})).toMatchObject({
      maxIterations: 0,
      maxExecutionTimeMs: 0,
      stop: [],
      handleParsingErrors: '',
    });
  });

  test('lets a single run change its limits and its model', () => {
    const { manifest } = loadedConfig({ agents: [agent({ maxIterations: 3, maxExecutionTime: '1m' })] });
    expect(manifest('a', { maxIterations: null, maxExecutionTimeMs: null, model: 'other' })).toMatchObject({
      maxIterations: null,
      maxExecutionTimeMs: null,
      model: 'other',
    });
    expect(manifest('a', { maxIterations: 0 })).toMatchObject({
      maxIterations: 0,
      maxExecutionTimeMs: 60_000,
    });
  });

  test('has nothing to say of an agent that it does not know', () => {
    expect(loadedConfig({ agents: [agent()] }).manifest('b', {})).toBeUndefined();
  });

  test.each<[what: string, model: unknown, override: string | undefined, adapter: string, name: string]>([
    ['a name is asked through openai()', 'gpt-4o-mini', undefined, 'openai', 'gpt-4o-mini'],
    ['a name of the config is asked there', 'local', undefined, 'local', 'local'],
    ['a model in place is known by its agent', defineModel({ call: unasked }), undefined, 'agent:a', 'a'],
    ["a run's own name goes to the same place", 'local', 'llama', 'local', 'llama'],
    ["a run's own name of the config goes there", 'gpt-4o-mini', 'local', 'local', 'local'],
    ['also for a model in place', defineModel({ call: unasked }), 'llama', 'agent:a', 'llama'],
  ])('knows which model is meant: %s', (_what, model, override, adapter, name) => {
    const made = loadedConfig({
      agents: [agent({ model })],
      models: { local: defineModel({ call: unasked }) },
    });
    const overrides = override === undefined ? {} : { model: override };
    expect(made.manifest('a', overrides)).toMatchObject({ adapter, model: name });
    expect(made.models.has(adapter)).toBe(true);
  });

  test('says before anything starts that there is no model to ask', () => {
    vi.stubEnv('OPENAI_API_KEY', undefined);
    vi.stubEnv('OPENAI_BASE_URL', undefined);
    const made = loadedConfig({
      agents: [agent(), agent({ name: 'b', model: defineModel({ call: unasked }) })],
    });
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
