import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asText } from '../../agent/vocabulary.ts';
import { ToolError, defineTool } from '../../tools/tool.ts';
import { z } from 'zod';
import { type Rig, eventOf, startRig } from '../support/rig.ts';
import { act, answer, modelOf, promptOf } from '../support/scripts.ts';

const search = defineTool({
  name: 'search',
  description: 'looks things up',
  run: (query) => `found ${query}`,
});
const add = defineTool({
  name: 'add',
  description: 'adds',
  input: z.object({ a: z.coerce.number(), b: z.number().default(1) }),
  run: ({ a, b }) => ({ sum: a + b }),
});
const direct = defineTool({
  name: 'direct',
  description: 'd',
  returnDirect: true,
  run: () => ({ raw: [1] }),
});
const sorry = defineTool({
  name: 'sorry',
  description: 's',
  returnDirect: true,
  run: () => {
    throw new ToolError('no such city');
  },
});
const big = defineTool({ name: 'big', description: 'b', run: () => 'é'.repeat(3_000_000) });

const twoSteps = modelOf(
  (step) => [act('search', 'one'), act('search', 'two'), answer('done')][Number(step) - 1] ?? '',
);

const shortSighted = modelOf((step) => (step === '4' ? answer('ok') : act('search', `q${step}`)));

/** One agent for each behaviour: name, script of replies, tools. */
const model = (replies: string[]) => modelOf((step) => replies[Number(step) - 1] ?? answer('end of script'));
const tools = [search, add, direct, sorry, big];

let rig: Rig;
beforeAll(async () => {
  rig = await startRig({
    agents: [
      { name: 'two-steps', model: twoSteps, tools },
      { name: 'unknown-tool', model: model([act('nothing', 'x'), answer('ok')]), tools },
      { name: 'babble', model: model(['hm', 'Action: search', answer('ok')]), tools },
      { name: 'strict', model: model(['hm']), tools, handleParsingErrors: false },
      { name: 'told', model: model(['hm', answer('ok')]), tools, handleParsingErrors: 'Mind the format.' },
      { name: 'verbose', model: model([answer('y'.repeat(300_000))]), tools },
      { name: 'silent', model: model(['', answer('ok')]), tools },
      { name: 'direct', model: model([act('direct', 'x')]), tools },
      { name: 'sorry', model: model([act('sorry', 'x'), answer('ok')]), tools },
      {
        name: 'invented',
        model: model([`${act('search', 'a')}\nObservation: 42\nThought: ${answer('42')}`]),
        tools,
      },
      { name: 'schema', model: model([act('add', '41'), act('add', 'many'), answer('ok')]), tools },
      { name: 'endless', model: modelOf((step) => act('search', step)), tools, maxIterations: 3 },
      { name: 'none', model: model([]), tools, maxIterations: 0 },
      {
        name: 'hurried',
        model: modelOf((step) => act('search', step)),
        tools,
        maxExecutionTime: 1,
        maxIterations: null,
      },
      { name: 'big', model: model([act('big', 'x'), answer('ok')]), tools },
      {
        name: 'short-sighted',
        model: shortSighted,
        tools,
        trimIntermediateSteps: 1,
      },
    ],
  });
}, 60_000);
afterAll(() => rig.stop());

describe('a run', () => {
  test('thinks, acts and observes until the model has an answer', async () => {
    const result = await rig.client.run('two-steps', 'what?');
    expect(result).toMatchObject({
      output: 'done',
      stopReason: 'final_answer',
      iterations: 3,
      usage: { promptTokens: 30, completionTokens: 15, totalTokens: 45, modelCalls: 3 },
    });
    expect(result.intermediateSteps).toMatchObject([
      {
        call: '1.1',
        action: { tool: 'search', toolInput: 'one', log: act('search', 'one') },
        observation: 'found one',
        attempts: 1,
      },
      { call: '2.1', action: { tool: 'search', toolInput: 'two' }, observation: 'found two', attempts: 1 },
    ]);
    expect(promptOf(twoSteps.requests[2]?.request).split('Question: ')[2]).toBe(
      `what?\nThought:${act('search', 'one')}\nObservation: found one\nThought:${act('search', 'two')}\nObservation: found two\nThought:`,
    );
  });

  test('started twice under one id is one run', async () => {
    const first = await rig.client.start('two-steps', 'what?', { id: 'twice' });
    const second = await rig.client.start('two-steps', 'other?', { id: 'twice' });
    expect(await second.result()).toEqual(await first.result());
    const third = await rig.client.start('two-steps', 'again?', { id: 'twice' });
    expect((await third.describe()).input).toBe('what?');
  });

  test.each([
    [
      'names the tools when the model asks for an unknown one',
      'unknown-tool',
      [['nothing', 'nothing is not a valid tool, try one of [search, add, direct, sorry, big].']],
    ],
    [
      'tells the model what its reply lacks',
      'babble',
      [
        ['_Exception', "Invalid Format: Missing 'Action:' after 'Thought:'"],
        ['_Exception', "Invalid Format: Missing 'Action Input:' after 'Action:'"],
      ],
    ],
    ['tells the model the text of handleParsingErrors', 'told', [['_Exception', 'Mind the format.']]],
    [
      'takes an empty reply for a parse error',
      'silent',
      [['_Exception', "Invalid Format: Missing 'Action:' after 'Thought:'"]],
    ],
  ])('%s', async (_title, agent, steps) => {
    const { output, intermediateSteps } = await rig.client.run(agent, 'what?');
    expect(output).toBe('ok');
    expect(intermediateSteps.map(({ action, observation }) => [action.tool, observation])).toEqual(steps);
  });

  test('fails on an unreadable reply when the agent says so', async () => {
    await expect(rig.client.run('strict', 'what?')).rejects.toMatchObject({
      name: 'AgentRunFailed',
      type: 'OutputParserError',
      report: { status: 'failed', usage: { modelCalls: 1 } },
    });
  });

  test.each(['', ' ', 'a\nb', 'x'.repeat(901)])('is not started under the id %j', async (id) => {
    await expect(rig.client.start('two-steps', 'what?', { id })).rejects.toMatchObject({
      name: 'InvalidInput',
    });
  });

  test('returns the raw observation of a tool that returns directly', async () => {
    expect(await rig.client.run('direct', 'what?')).toMatchObject({
      output: { raw: [1] },
      stopReason: 'return_direct',
      iterations: 1,
    });
  });

  test('returns what a tool that returns directly tells the model, as LangChain does', async () => {
    expect(await rig.client.run('sorry', 'what?')).toMatchObject({
      output: 'no such city',
      stopReason: 'return_direct',
      usage: { modelCalls: 1 },
    });
  });

  test('ignores what a model invents behind "Observation:"', async () => {
    const { intermediateSteps } = await rig.client.run('invented', 'what?');
    expect(intermediateSteps).toMatchObject([{ action: { toolInput: 'a' }, observation: 'found a' }]);
  });

  test('gives a single string to the first field of a schema, and observes what does not fit', async () => {
    const { intermediateSteps } = await rig.client.run('schema', 'what?');
    expect(intermediateSteps[0]?.observation).toEqual({ sum: 42 });
    expect(intermediateSteps[1]?.observation).toContain('The input of add is not valid');
  });

  test.each([
    ['endless', 'max_iterations', 3],
    ['none', 'max_iterations', 0],
  ])('stops at its iteration limit: %s', async (agent, stopReason, iterations) => {
    expect(await rig.client.run(agent, 'what?')).toMatchObject({
      output: 'Agent stopped due to iteration limit or time limit.',
      stopReason,
      iterations,
      usage: { modelCalls: iterations },
    });
  });

  test('stops at its time limit', async () => {
    expect(await rig.client.run('hurried', 'what?')).toMatchObject({ stopReason: 'max_execution_time' });
  });

  test('cuts an output of 6 MB visibly', async () => {
    const { intermediateSteps } = await rig.client.run('big', 'what?');
    const text = asText(intermediateSteps[0]?.observation ?? '');
    expect(text.endsWith('[cut: the first 100000 of 3000000 characters]')).toBe(true);
  });

  test('shows the model the last steps only when it is told to trim, and returns all', async () => {
    const { intermediateSteps } = await rig.client.run('short-sighted', 'what?');
    expect(intermediateSteps).toHaveLength(3);
    const seen = shortSighted.requests.map(({ request }) => promptOf(request).match(/found q\d/gu));
    expect(seen).toEqual([null, ['found q1'], ['found q2'], ['found q3']]);
  });

  test('of an unknown agent fails and names the known ones', async () => {
    await expect(rig.client.run('nobody', 'what?')).rejects.toMatchObject({
      type: 'AgentNotFound',
      message: expect.stringContaining('two-steps'),
    });
  }, 60_000);
});

test('an answer that is too long to be recorded is cut, with a warning', async () => {
  const run = await rig.client.start('verbose', 'tell me');
  const { turn } = await eventOf(run.events(), 'model_ended');
  expect(turn).toMatchObject({
    finishReason: 'length',
    warnings: ['the reply was cut: at most 256000 bytes of it can be recorded'],
  });
  expect(await run.result()).toMatchObject({ output: expect.stringMatching(/^y+$/u) });
});
