import { describe, expect, test } from 'vitest';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { agentTool } from '../../tools/agent-tool.ts';
import { defineTool } from '../../tools/tool.ts';
import { useRig, waitOf } from '../support/rig.ts';
import { act, answer, modelOf, promptOf } from '../support/scripts.ts';

/** Agents that ask when they come to a limit, and what people make of that. */

const echo = defineTool({ name: 'echo', description: 'e', effects: 'none', run: (input) => `echo ${input}` });
let sleeps = true;
const sleeper = defineTool({
  name: 'sleeper',
  description: 'sleeps, while it is told to',
  effects: 'none',
  retry: { maxAttempts: 1 },
  run: (_input, { signal }) =>
    sleeps
      ? new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('woken'))))
      : 'awake',
});
const helper = agentTool({ agent: 'helper', description: 'helps' });
const tools = [echo, sleeper, helper];
/** 15 tokens a call. */
const model = modelOf((step) => (Number(step) < 4 ? act('echo', step) : answer('ok')));
const closing = modelOf((step, request) =>
  promptOf(request).includes('final answer based on') ? answer('as far as I got') : act('echo', step),
);

const ask = { tools, onLimit: 'ask' } as const;
const rig = useRig({
  agents: [
    { name: 'short', model, ...ask, maxIterations: 2 },
    { name: 'closing', model: closing, ...ask, maxIterations: 2, earlyStopping: 'generate' },
    {
      name: 'hurried',
      model: modelOf((step) => (step === '1' ? act('sleeper', 'x') : answer('ok'))),
      ...ask,
      maxExecutionTime: 1000,
    },
    {
      name: 'repeating',
      model: modelOf((step) => (Number(step) < 5 ? act('echo', 'same') : answer('ok'))),
      ...ask,
      repeatLimit: 2,
      maxIterations: null,
    },
    { name: 'thrifty', model, ...ask, budget: { totalTokens: 20 } },
    { name: 'helper', model, ...ask, maxIterations: 1 },
    { name: 'parent', model: modelOf((step) => (step === '1' ? act('helper', 'x') : answer('ok'))), tools },
  ],
});

const waiting = (run: AgentRun, n = 0) => waitOf(run, { n, reason: 'limit' });
const start = (name: string) => rig.client.start(name, 'what?');

async function endOf(run: AgentRun) {
  await run.result();
  return run.describe();
}

describe('a run that asks at its limit of turns', () => {
  test('waits where the model would be asked next, and says which limit it is', async () => {
    const run = await start('short');
    await waiting(run);
    expect(await run.describe()).toMatchObject({
      status: 'waiting',
      iterations: 2,
      waiting: [
        {
          call: '3',
          n: 0,
          tool: 'callModel',
          toolInput: null,
          reason: 'limit',
          error: { type: 'MaxIterations', message: 'The limit of 2 iterations is reached.' },
        },
      ],
    });
    await run.decide('3', { type: 'stop' });
    await run.result();
  });

  test('goes on when it is extended, comes to the raised limit, and asks again', async () => {
    const run = await start('short');
    await waiting(run);
    await run.extend({ iterations: 1 });
    const wait = await waitOf(run, { call: '4' });
    expect(wait.error?.message).toBe('The limit of 3 iterations is reached.');
    await run.extend({ iterations: 1 });
    const report = await endOf(run);
    expect(report).toMatchObject({ status: 'completed', output: 'ok', iterations: 4, waiting: [] });
  });

  test('sees what was said to it while it waited', async () => {
    const run = await start('short');
    await waiting(run);
    await run.say('You have more time.');
    await run.extend({ iterations: 5 });
    await run.result();
    expect(promptOf(model.requests.at(-1)?.request)).toContain('Message from the user: You have more time.');
  });

  test('ends as without asking when it is let to stop', async () => {
    const run = await start('closing');
    await waiting(run);
    await run.decide(undefined, { type: 'stop' });
    const report = await endOf(run);
    expect(report).toMatchObject({
      status: 'stopped',
      stopReason: 'max_iterations',
      output: 'as far as I got',
    });
  });

  test('is decided on with no worker alive in between', async () => {
    const run = await start('short');
    await waiting(run);
    await rig.restart();
    await run.extend({ iterations: 9 });
    expect(await run.result()).toMatchObject({ output: 'ok' });
  });
});

describe('a run that asks at another limit', () => {
  test('has the call cut that the time limit came upon, and goes on with more time', async () => {
    sleeps = true;
    const run = await start('hurried');
    const wait = await waiting(run);
    expect(wait).toMatchObject({
      call: '2',
      error: { type: 'MaxExecutionTime', message: 'The time limit of 1 s is reached.' },
    });
    sleeps = false;
    await run.extend({ time: '10m' });
    const report = await endOf(run);
    expect(report).toMatchObject({ status: 'completed', output: 'ok' });
    expect(report.intermediateSteps[0]?.observation).toContain('time limit');
  });

  test('asks about an action that it takes again and again', async () => {
    const run = await start('repeating');
    const wait = await waiting(run);
    expect(wait.error).toEqual({
      type: 'RepeatedAction',
      message: 'The same action was decided on 3 times in a row.',
    });
    await run.extend({ iterations: 1 });
    const report = await endOf(run);
    expect(report).toMatchObject({ status: 'completed', output: 'ok' });
  });

  test('asks when its budget is used up, for as much as it has used', async () => {
    const run = await start('thrifty');
    const wait = await waiting(run);
    expect(wait).toMatchObject({
      call: '3',
      error: { type: 'TokenBudget', message: 'The budget of 20 tokens is used up.' },
    });
    await expect(run.extend({ tokens: 10 })).rejects.toThrow(
      'extend: the run waits. The budget of 20 tokens is used up. Raise tokens by more than 10.',
    );
    await run.extend({ tokens: 100 });
    const report = await endOf(run);
    expect(report).toMatchObject({ status: 'completed', output: 'ok', usage: { totalTokens: 60 } });
  });

  test('tells the run above it, which shows that it waits', async () => {
    const run = await start('parent');
    await waiting(run);
    expect(await run.describe()).toMatchObject({ waiting: [{ call: '1.1/2', reason: 'limit' }] });
    await rig.client.get(`${run.id}/1.1`).extend({ iterations: 5 });
    expect(await endOf(run)).toMatchObject({ status: 'completed', waiting: [] });
  });
});
