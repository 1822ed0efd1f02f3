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
const tools = [search, sorry, big];

const rig = useRig({
  agents: [
    { name: 'two-steps', model: twoSteps, tools },
    { name: 'verbose', model: model([answer('y'.repeat(300_000))]), tools },
    { name: 'sorry', model: model([act('sorry', 'x')]), tools },
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

  test('returns what a tool that returns directly refuses', async () => {
    expect(await rig.client.run('sorry', 'what?')).toMatchObject({
      output: 'no such city',
      stopReason: 'return_direct',
      iterations: 1,
    });
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
