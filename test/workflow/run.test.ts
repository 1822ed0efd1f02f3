import { describe, expect, test } from 'vitest';
import { asText } from '../../agent/values/vocabulary.ts';
import { ToolError, defineTool } from '../../tools/tool.ts';
import { eventOf, useRig } from '../support/rig.ts';
import { act, answer, modelOf, promptOf } from '../support/scripts.ts';

const search = defineTool({
  name: 'search',
  description: 'looks things up',
  run: (query) => `found ${query}`,
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
  run: () => Promise.reject(new ToolError('no such city')),
});
const big = defineTool({ name: 'big', description: 'b', run: () => 'é'.repeat(3_000_000) });

const twoSteps = modelOf(
  (step) => [act('search', 'one'), act('search', 'two'), answer('done')][Number(step) - 1] ?? '',
);

/** One agent for each behaviour: name, script of replies, tools. */
const model = (replies: string[]) => modelOf((step) => replies[Number(step) - 1] ?? answer('end of script'));
const tools = [search, direct, sorry, big];

const rig = useRig({
  agents: [
    { name: 'two-steps', model: twoSteps, tools },
    { name: 'verbose', model: model([answer('y'.repeat(300_000))]), tools },
    { name: 'direct', model: model([act('direct', 'x')]), tools },
    { name: 'sorry', model: model([act('sorry', 'x')]), tools },
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
  ],
});

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

  test.each(['', ' ', 'a\nb', 'x'.repeat(901)])('is not started under the id %j', async (id) => {
    await expect(rig.client.start('two-steps', 'what?', { id })).rejects.toMatchObject({
      name: 'InvalidInput',
    });
  });

  test.each([
    ['direct', { raw: [1] }],
    ['sorry', 'no such city'],
  ])('returns what a tool that returns directly says: %s', async (agent, output) => {
    expect(await rig.client.run(agent, 'what?')).toMatchObject({
      output,
      stopReason: 'return_direct',
      iterations: 1,
    });
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
