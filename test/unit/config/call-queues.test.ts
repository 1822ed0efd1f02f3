import { describe, expect, test } from 'vitest';
import { ReloopPlugin } from '../../../index.ts';
import { agentTool } from '../../../adapters/tools/agent-tool.ts';
import { externalTool } from '../../../adapters/tools/external.ts';
import { human } from '../../../adapters/tools/human.ts';
import type { ConfigDefinition } from '../../../config/define.ts';
import { scripted } from '../../../adapters/models/scripted/scripted.ts';
import { testConfig } from '../../../features/testing/test-config.ts';
import { queueSettings } from '../../../worker/create-worker.ts';
import { agent, loadedConfig, problemOf, tool } from '../../support/config.ts';

const tools = [
  tool({ name: 'ocr' }),
  tool({ name: 'fast', effects: 'none', inline: true }),
  externalTool({ name: 'python', description: 'elsewhere', taskQueue: 'desk' }),
  agentTool({ agent: 'a', description: 'asks itself' }),
  human({ name: 'person', description: 'knows' }),
];
const withQueues = (queues: unknown, more: object = {}) => ({
  agents: [agent({ tools }), agent({ name: 'b', model: 'gpt-4o' })],
  models: { local: scripted(['x']) },
  queues,
  ...more,
});

describe('queues of a config are refused', () => {
  const amount = 'is not a whole number from 1 to 100000';
  const notMade = 'Take it out of queues';
  test.each<[message: string, queues: object]>([
    [
      'the config: queues.q: unknown option tool (did you mean tools?) (known: models, tools, concurrency, maxPerSecond).',
      { q: { tool: [] } },
    ],
    [`the config: queues.q.concurrency: ${amount}.`, { q: { concurrency: 0 } }],
    ['the config: queues.q.maxPerSecond: is not a number above 0.', { q: { maxPerSecond: 0 } }],
    ['the config: queues.q.models: is neither true nor a list of model names.', { q: { models: false } }],
    [
      'queues: "q": there is no tool "orc" in the config. It has: ocr, fast, python, a, person.',
      { q: { tools: ['orc'] } },
    ],
    [
      'queues: "q": no agent has the model "gpt-5", and it is not in the config\'s models. Known: gpt-4o-mini, gpt-4o, local.',
      { q: { models: ['gpt-5'] } },
    ],
    [
      'queues: "r": the tool "ocr" is there in "q" too. Leave one out.',
      { q: { tools: ['ocr'] }, r: { tools: ['ocr'] } },
    ],
    ['queues: "q": the tool "ocr" is there twice. Leave one out.', { q: { tools: ['ocr', 'ocr'] } }],
    [
      'queues: "r": the model "gpt-4o" is there in "q" too. Leave one out.',
      { q: { models: ['gpt-4o'] }, r: { models: ['gpt-4o'] } },
    ],
    [
      'queues: "r": models: true is there in "q" too. Leave one out.',
      { q: { models: true }, r: { models: true } },
    ],
    [
      `queues: "q": the tool "fast" is inline, so its calls are made with the model call. ${notMade}, or give the tool inline: false.`,
      { q: { tools: ['fast'] } },
    ],
    [
      `queues: "q": the tool "python" is made by another worker, on the taskQueue of its externalTool. ${notMade}.`,
      { q: { tools: ['python'] } },
    ],
    [
      `queues: "q": the tool "a" is the run of an agent, which makes its own calls. ${notMade}.`,
      { q: { tools: ['a'] } },
    ],
    [
      `queues: "q": the tool "person" is a question to a person, which no worker answers. ${notMade}.`,
      { q: { tools: ['person'] } },
    ],
    [
      'queues: "reloop" is the task queue of the config\'s runs, where calls are made by default. Give the queue another name.',
      { reloop: {} },
    ],
  ])('%s', (message, queues) => {
    expect(problemOf(withQueues(queues))).toBe(message);
  });
});

describe('a run records', () => {
  const queuesOf = (config: object, name = 'a', overrides = {}) => {
    const { modelQueue, tools: all = [] } = loadedConfig(config).manifest(name, overrides) ?? {};
    return [modelQueue, ...all.flatMap(({ taskQueue }) => taskQueue ?? [])];
  };
  const both = withQueues({ all: { models: true, tools: ['ocr'] }, big: { models: ['gpt-4o', 'local'] } });

  test.each<[what: string, agent: string, overrides: object, queues: unknown[]]>([
    ['the queue of all models, and those of its tools', 'a', {}, ['all', 'all', 'desk']],
    ['the queue that lists its model', 'b', {}, ['big']],
    ['the queue that lists the model which the run chose', 'a', { model: 'local' }, ['big', 'all', 'desk']],
  ])('%s', (_what, name, overrides, queues) => {
    expect(queuesOf(both, name, overrides)).toEqual(queues);
  });

  test('the same as before, where no queue has a call of its agent', () => {
    const recorded = (queues: unknown) => JSON.stringify(loadedConfig(withQueues(queues)).manifest('b', {}));
    expect(recorded({ q: { tools: ['ocr'] } })).toBe(recorded(undefined));
  });

  test('no queue but those of other workers in a test', () => {
    const config = both as unknown as ConfigDefinition; // agents as JavaScript writes them
    const { loaded } = testConfig(config);
    const { modelQueue, tools: all = [] } = loaded.manifest('a', {}) ?? {};
    expect([modelQueue, ...all.map(({ taskQueue }) => taskQueue)].filter(Boolean)).toEqual(['desk']);
    expect(loaded.queues.size).toBe(0);
  });
});

describe('a worker of a queue', () => {
  const config = withQueues({ q: { concurrency: 4, maxPerSecond: 0.5 }, r: {} }, { concurrency: 20 });
  const [own, rate] = ['maxConcurrentActivityTaskExecutions', 'maxTaskQueueActivitiesPerSecond'];

  test.each<
    [
      what: string,
      taskQueue: string,
      concurrency: number | undefined,
      servesOthers: boolean,
      settings: object,
    ]
  >([
    ['has the number and the rate of the queue', 'q', undefined, false, { [own]: 4, [rate]: 0.5 }],
    ["has the config's number where the queue has none", 'r', undefined, false, { [own]: 20 }],
    ['has its own number', 'q', 8, false, { [own]: 8, [rate]: 0.5 }],
    ['keeps the number of the queue beside others', 'q', 8, true, { [own]: 4, [rate]: 0.5 }],
    ['has its own number beside others where the queue has none', 'r', 8, true, { [own]: 8 }],
  ])('%s', (_what, taskQueue, concurrency, servesOthers, settings) => {
    expect(queueSettings(loadedConfig(config), taskQueue, concurrency, servesOthers)).toEqual(settings);
  });

  test('is a worker of the user’s own as well', async () => {
    const plugin = new ReloopPlugin(config as unknown as ConfigDefinition);
    const options = await plugin.configureWorker({ taskQueue: 'q' });
    expect(options).toMatchObject({ [own]: 4, [rate]: 0.5 });
  });
});
