import { describe, expect, test } from 'vitest';
import { z as z3 } from 'zod/v3';

import { builtInKinds } from '../../agent/kinds/kinds.ts';
import { zeroShot } from '../../agent/kinds/zero-shot.ts';
import { agent, problemOf } from '../support/config.ts';

const known = builtInKinds.map(({ name }) => name).join(', ');

describe('a config is refused', () => {
  test.each<[what: string, config: unknown, message: string]>([
    [
      'that is nothing',
      undefined,
      'the config has no config: write `export default defineConfig({ agents: […] })`.',
    ],
    ['that is null', null, 'the config has no config: write `export default defineConfig({ agents: […] })`.'],
    [
      'that is a function',
      () => ({}),
      'the config has no config: write `export default defineConfig({ agents: […] })`.',
    ],
    ['that is a list', [], 'the config: Invalid input: expected object, received array.'],
    ['without agents', {}, 'the config: agents: is missing.'],
    [
      'with an empty list of agents',
      { agents: [] },
      'the config: agents is empty. Define one with defineAgent.',
    ],
    [
      'with agents that are no list',
      { agents: {} },
      'the config: agents: Invalid input: expected array, received object.',
    ],
    [
      'with unknown options, and told the known ones',
      { agents: [agent()], agent: 1, queue: 'x' },
      'the config: unknown option agent, queue (known: agents, tools, models, prices, cache, onEvent, heartbeats, taskQueue).',
    ],
    [
      'with a model that is none',
      { agents: [agent()], models: { local: {} } },
      'the config: models.local: is no model: give a name, openai(), fromVercelModel() of a model of the AI SDK, scripted([…]) or defineModel({ call }).',
    ],
    [
      'with a tool that is none',
      { agents: [agent()], tools: ['search'] },
      'the config: tools.0: is no tool: make it with defineTool({ name, description, run }).',
    ],
    [
      'with an agent that is none',
      { agents: [null] },
      'the config: agents[0]: Invalid input: expected object, received null.',
    ],
    [
      'with an agent without name',
      { agents: [agent(), { model: 'm' }] },
      'the config: agents[1]: name: is missing.',
    ],
    ['with two agents of one name', { agents: [agent(), agent()] }, 'Two agents are called "a". Rename one.'],
  ])('%s', (_what, config, message) => {
    expect(problemOf(config)).toBe(message);
  });
});

describe('an agent is refused', () => {
  const name = 'name: is empty, or begins with a blank, or has a slash or a line break';
  const duration = "is not a duration. Write milliseconds or a text such as '30s', '10m', '1h'";

  test.each<[what: string, fields: object, message: string]>([
    ['with a slash in its name', { name: 'a/b' }, `the config: agent "a/b": ${name}.`],
    ['with an empty name', { name: '' }, `the config: agent "": ${name}.`],
    ['with a name that begins with a blank', { name: ' a' }, `the config: agent " a": ${name}.`],
    ['with a line break in its name, on one line', { name: 'a\nb' }, `the config: agent "a\\nb": ${name}.`],
    ['without a model', { model: undefined }, 'the config: agent "a": model: is missing.'],
    ['with an empty model name', { model: '' }, 'the config: agent "a": model: is empty.'],
    [
      'with a model that is none',
      { model: { ask: () => '' } },
      'the config: agent "a": model: is no model: give a name, openai(), fromVercelModel() of a model of the AI SDK, scripted([…]) or defineModel({ call }).',
    ],
    [
      'with a tool that is none',
      { tools: [{ name: 'search' }] },
      'the config: agent "a": tools.0: is no tool: make it with defineTool({ name, description, run }).',
    ],
    [
      'of an unknown kind, and told the known ones',
      { kind: 'chain-of-thought' },
      `Agent "a": unknown kind "chain-of-thought". Known: ${known}.`,
    ],
    ...[
      ['zero-shot-react-description', 'zero-shot'],
      ['AgentType.ZERO_SHOT_REACT_DESCRIPTION', 'zero-shot'],
      ['structured-chat-zero-shot-react-description', 'structured-chat'],
      ['chat-conversational-react-description', 'conversational'],
      ['openai-functions', 'tool-calling'],
      ['zeroshot', 'zero-shot'],
      ['Tool_Calling', 'tool-calling'],
    ].map(([theirs, ours]): [string, object, string] => [
      `of a kind that goes by ${theirs} elsewhere, and told ours`,
      { kind: theirs },
      `Agent "a": unknown kind "${theirs}". In Reloop that is kind: '${ours}'. Known: ${known}.`,
    ]),
    [
      'of a kind that is none',
      { kind: { name: 'mine' } },
      'the config: agent "a": kind: is no kind: give its name, or one made with defineKind({ name, stop, prompt, stoppedOutput, chatHistory, render, parse }).',
    ],
    [
      'of a kind of its own that is called like another',
      { kind: { ...zeroShot } },
      'Agent "a": there is another kind called "zero-shot" already. Rename yours.',
    ],
    [
      'with a repeat limit that refuses every action',
      { repeatLimit: 1 },
      'the config: agent "a": repeatLimit: has to be 2 or more: 1 would refuse every action.',
    ],
    [
      'with an output that is no schema',
      { output: { type: 'object' } },
      'the config: agent "a": output: is no zod schema: write z.object({ … }) with the z that reloop exports.',
    ],
    [
      'with an output of zod 3',
      { output: z3.string() },
      "the config: agent \"a\": output: is a zod 3 schema: import { z } from 'reloop' (or from 'zod/v4').",
    ],
    [
      'with a prompt text its kind does not have, and told those it has',
      { prompt: { sufix: 'Be kind.' } },
      'Agent "a": the kind zero-shot has no prompt text sufix. It has: system, prefix, formatInstructions, suffix.',
    ],
    [
      'with a prompt without its steps',
      { prompt: { suffix: 'Question: {input}' } },
      'Agent "a": with this prompt the model never sees {agent_scratchpad}. Add it to suffix.',
    ],
    [
      'with a prompt without the question and its steps',
      { prompt: { prefix: 'Go.', suffix: '' } },
      'Agent "a": with this prompt the model never sees {input} and {agent_scratchpad}. Add it to prefix or suffix.',
    ],
    [
      'with a time limit that is no duration',
      { maxExecutionTime: 'soon' },
      `Agent "a": maxExecutionTime: "soon" ${duration}.`,
    ],
    ['with an empty time limit', { maxExecutionTime: '' }, `Agent "a": maxExecutionTime: "" ${duration}.`],
    [
      'with a negative time limit',
      { maxExecutionTime: '-5s' },
      `Agent "a": maxExecutionTime: "-5s" ${duration}.`,
    ],
    [
      'with a time limit of another type',
      { maxExecutionTime: true },
      'the config: agent "a": maxExecutionTime: is no duration: give milliseconds, or a text such as \'30s\'.',
    ],
    [
      'with a time limit that no timer can count',
      { maxExecutionTime: 2 ** 31 },
      `Agent "a": maxExecutionTime: 2147483648 is longer than a timer can count. Write at most '24 days', or null for no limit.`,
    ],
    [
      'with a wait for a request that never ends',
      { requestTimeout: Number.POSITIVE_INFINITY },
      'the config: agent "a": requestTimeout: is no duration: give milliseconds, or a text such as \'30s\'.',
    ],
    [
      'with a negative number as time limit',
      { maxExecutionTime: -5 },
      `Agent "a": maxExecutionTime: "-5" ${duration}.`,
    ],
    [
      'with a wait between model calls that is no duration',
      { modelRetry: { initialInterval: 'x' } },
      `Agent "a": modelRetry.initialInterval: "x" ${duration}.`,
    ],
    [
      'with an unknown option of modelRetry, and told the known ones',
      { modelRetry: { times: 3 } },
      'the config: agent "a": modelRetry: unknown option times (known: maxAttempts, initialInterval, backoffCoefficient, maximumInterval).',
    ],
    [
      'with no time for a request',
      { requestTimeout: 0 },
      'Agent "a": requestTimeout: 0 leaves no time at all. Leave it out for the default.',
    ],
    [
      'with handleParsingErrors of another type',
      { handleParsingErrors: 5 },
      'the config: agent "a": handleParsingErrors: is neither true nor false, nor a text for the model.',
    ],
  ])('%s', (_what, fields, message) => {
    expect(problemOf({ agents: [agent(fields)] })).toBe(message);
  });

  test('with more than can be recorded', () => {
    expect(problemOf({ agents: [agent({ prompt: { prefix: '中'.repeat(100_000) } })] })).toMatch(
      /^Agent "a": prompts and tool schemas take 30\d{4} bytes, at most 256000 can be recorded\. Shorten them\.$/u,
    );
  });

  test('with an unknown option, and told the known ones', () => {
    expect(problemOf({ agents: [agent({ maxIteration: 3 })] })).toMatchInlineSnapshot(
      `"the config: agent "a": unknown option maxIteration (known: name, description, kind, model, tools, prompt, parser, output, maxExecutionTime, memory, requestTimeout, modelRetry, askTimeout, stop, maxIterations, earlyStopping, repeatLimit, handleParsingErrors, trimIntermediateSteps, onLimit, onModelFailure, budget, api, stream, temperature, maxTokens, topP, frequencyPenalty, presencePenalty, logitBias, extra)."`,
    );
  });

  test.each<[fields: object]>([
    [{ maxIterations: -1 }],
    [{ maxIterations: 1.5 }],
    [{ maxIterations: '3' }],
    [{ trimIntermediateSteps: 0.5 }],
    [{ earlyStopping: 'never' }],
    [{ api: 'responses' }],
    [{ stream: 'yes' }],
    [{ temperature: '0' }],
    [{ maxTokens: 0 }],
    [{ logitBias: { a: 'b' } }],
    [{ extra: { seed: () => 1 } }],
    [{ stop: '\nObservation:' }],
    [{ stop: [''] }],
    [{ description: 5 }],
    [{ onModelFailure: 'observe' }],
    [{ modelRetry: { maxAttempts: 0 } }],
    [{ tools: {} }],
    [{ budget: 5 }],
    [{ budget: { tokens: 5 } }],
    [{ budget: { totalTokens: 0.5 } }],
    [{ budget: { totalTokens: -1 } }],
    [{ budget: { cost: -1 } }],
    [{ budget: { cost: Infinity } }],
    [{ budget: { cost: '$1' } }],
  ])('with %j, by the name of the option', (fields) => {
    const [option] = Object.keys(fields);
    expect(problemOf({ agents: [agent(fields)] })).toMatch(
      new RegExp(`^the config: agent "a": ${option}\\b.*: `, 'u'),
    );
  });
});
