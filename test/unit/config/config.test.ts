import { describe, expect, test } from 'vitest';
import { z as z3 } from 'zod/v3';

import { builtInKinds } from '../../../agent/kinds/kinds.ts';
import { zeroShot } from '../../../agent/kinds/zero-shot.ts';
import { agent, problemOf } from '../../support/config.ts';

const known = builtInKinds.map(({ name }) => name).join(', ');

const options =
  'agents, tools, models, prices, limits, budgets, breaker, cache, onEvent, heartbeats, concurrency, context, authorize, hooks, telemetry, logger, encryption, storage, live, schedules, evals, webhooks, taskQueue, queues, deployment';
const NO_MODEL =
  'is not a model: give a name, openai(), fromVercelModel() of a model of the AI SDK, scripted([…]) or defineModel({ call }).';
const NO_TOOL = 'tools.0: is not a tool: make it with defineTool({ name, description, run }).';

describe('a config is refused', () => {
  test.each<[message: string, config: object]>([
    ['Invalid input: expected object, received array.', []],
    ['agents: is missing.', {}],
    ['agents is empty. Define one with defineAgent.', { agents: [] }],
    ['agents: Invalid input: expected array, received object.', { agents: {} }],
    [
      `unknown option agent (did you mean agents?), queue (did you mean queues?) (known: ${options}).`,
      { agents: [agent()], agent: 1, queue: 'x' },
    ],
    [`models.local: ${NO_MODEL}`, { agents: [agent()], models: { local: {} } }],
    [NO_TOOL, { agents: [agent()], tools: ['search'] }],
    ['agents[0]: Invalid input: expected object, received null.', { agents: [null] }],
    ['agents[1]: name: is missing.', { agents: [agent(), { model: 'm' }] }],
  ])('%s', (message, config) => {
    expect(problemOf(config)).toBe(`the config: ${message}`);
  });
  test.each([undefined, null, () => ({})])('when it is %s', (config) => {
    const said = 'the config has no config: write `export default defineConfig({ agents: […] })`.';
    expect(problemOf(config)).toBe(said);
  });

  test('with two agents of one name', () => {
    expect(problemOf({ agents: [agent(), agent()] })).toBe('Two agents are called "a". Rename one.');
  });
});

describe('an agent is refused', () => {
  const name = 'name: is empty, or starts with a blank, or has a slash or a line break';
  const duration = "is not a duration. Write milliseconds or a text such as '30s', '10m', '1h'";

  const NO_DURATION = "is not a duration: give milliseconds, or a text such as '30s'.";
  const NO_KIND =
    'is not a kind: give its name, or one made with defineKind({ name, stop, prompt, stoppedOutput, chatHistory, render, parse }).';
  const NO_ZOD = 'is not a zod schema: write z.object({ … }) with the z that reloop exports.';
  const retries = 'maxAttempts, initialInterval, backoffCoefficient, maximumInterval';

  test.each<[message: string, fields: object]>([
    ['model: is missing.', { model: undefined }],
    ['model: is empty.', { model: '' }],
    [`model: ${NO_MODEL}`, { model: { ask: () => '' } }],
    [NO_TOOL, { tools: [{ name: 'search' }] }],
    [`kind: ${NO_KIND}`, { kind: { name: 'mine' } }],
    ['repeatLimit: has to be 2 or more: 1 would refuse every action.', { repeatLimit: 1 }],
    [`output: ${NO_ZOD}`, { output: { type: 'object' } }],
    ["output: is a zod 3 schema: import { z } from 'reloop' (or from 'zod/v4').", { output: z3.string() }],
    [`maxExecutionTime: ${NO_DURATION}`, { maxExecutionTime: true }],
    [`requestTimeout: ${NO_DURATION}`, { requestTimeout: Number.POSITIVE_INFINITY }],
    [`modelRetry: unknown option times (known: ${retries}).`, { modelRetry: { times: 3 } }],
    ['handleParsingErrors: is neither true nor false, nor a text for the model.', { handleParsingErrors: 5 }],
  ])('%s', (message, fields) => {
    expect(problemOf({ agents: [agent(fields)] })).toBe(`the config: agent "a": ${message}`);
  });

  const unseen = 'with this prompt the model never sees';
  const texts = 'system, prefix, formatInstructions, suffix';
  const beyond = "is longer than a timer can count. Write at most '24 days', or null for no limit.";
  const zeroShotWith = (prompt: object) => ({ kind: 'zero-shot', prompt });
  const theirs = {
    'zero-shot-react-description': 'zero-shot',
    'AgentType.ZERO_SHOT_REACT_DESCRIPTION': 'zero-shot',
    'structured-chat-zero-shot-react-description': 'structured-chat',
    'chat-conversational-react-description': 'conversational',
    'openai-functions': 'tool-calling',
    zeroshot: 'zero-shot',
    Tool_Calling: 'tool-calling',
  };
  test.each<[message: string, fields: object]>([
    [`unknown kind "chain-of-thought". Known: ${known}.`, { kind: 'chain-of-thought' }],
    ['there is another kind called "zero-shot" already. Rename yours.', { kind: { ...zeroShot } }],
    [`the kind zero-shot has no prompt text sufix. It has: ${texts}.`, zeroShotWith({ sufix: 'Be kind.' })],
    [`${unseen} {agent_scratchpad}. Add it to suffix.`, zeroShotWith({ suffix: 'Question: {input}' })],
    [
      `${unseen} {input} and {agent_scratchpad}. Add it to prefix or suffix.`,
      zeroShotWith({ prefix: 'Go.', suffix: '' }),
    ],
    [`maxExecutionTime: "soon" ${duration}.`, { maxExecutionTime: 'soon' }],
    [`maxExecutionTime: "" ${duration}.`, { maxExecutionTime: '' }],
    [`maxExecutionTime: "-5s" ${duration}.`, { maxExecutionTime: '-5s' }],
    [`maxExecutionTime: 2147483648 ${beyond}`, { maxExecutionTime: 2 ** 31 }],
    [`maxExecutionTime: "-5" ${duration}.`, { maxExecutionTime: -5 }],
    [`modelRetry.initialInterval: "x" ${duration}.`, { modelRetry: { initialInterval: 'x' } }],
    ['requestTimeout: 0 leaves no time at all. Leave it out for the default.', { requestTimeout: 0 }],
    ...Object.entries(theirs).map(([kind, ours]): [string, object] => [
      `unknown kind "${kind}". In Reloop that is kind: '${ours}'. Known: ${known}.`,
      { kind },
    ]),
  ])('%s', (message, fields) => {
    expect(problemOf({ agents: [agent(fields)] })).toBe(`Agent "a": ${message}`);
  });

  test.each<[message: string, fields: object]>([
    [`"a/b": ${name}.`, { name: 'a/b' }],
    [`"": ${name}.`, { name: '' }],
    [`" a": ${name}.`, { name: ' a' }],
    [`"a\\nb": ${name}.`, { name: 'a\nb' }],
  ])('the config: agent %s', (message, fields) => {
    expect(problemOf({ agents: [agent(fields)] })).toBe(`the config: agent ${message}`);
  });

  test('with more than can be recorded', () => {
    const size =
      /^Agent "a": prompts and tool schemas take 30\d{4} bytes, at most 256000 can be recorded\. Shorten them\.$/u;
    expect(problemOf({ agents: [agent({ prompt: { system: '中'.repeat(100_000) } })] })).toMatch(size);
  });

  test('with an unknown option, and told the known ones', () => {
    expect(problemOf({ agents: [agent({ maxIteration: 3 })] })).toMatchInlineSnapshot(
      `"the config: agent "a": unknown option maxIteration (did you mean maxIterations?) (known: name, description, kind, model, tools, handoffs, toolSearch, skills, clientTools, prompt, parser, output, context, maxExecutionTime, memory, compaction, requestTimeout, modelRetry, askTimeout, stop, maxIterations, earlyStopping, stopMessage, repeatLimit, handleParsingErrors, trimIntermediateSteps, onLimit, onModelFailure, budget, api, stream, images, files, temperature, maxTokens, topP, frequencyPenalty, presencePenalty, logitBias, extra)."`,
    );
  });

  test.each<[fields: object]>([
    [{ maxIterations: -1 }],
    [{ maxIterations: 1.5 }],
    [{ maxIterations: '3' }],
    [{ trimIntermediateSteps: 0.5 }],
    [{ earlyStopping: 'never' }],
    [{ stopMessage: '' }],
    [{ stopMessage: { cost: 'no more' } }],
    [{ stopMessage: { budget: 7 } }],
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
    const named = new RegExp(`^the config: agent "a": ${option}\\b.*: `, 'u');
    expect(problemOf({ agents: [agent(fields)] })).toMatch(named);
  });
});
