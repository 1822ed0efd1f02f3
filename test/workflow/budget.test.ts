import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../agent/run/events.ts';
import { agentTool } from '../../adapters/tools/agent-tool.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { eventsOf, stepsOf, useRig, waitOf } from '../support/rig.ts';
import { act, answer, modelOf, script } from '../support/scripts.ts';

/** Each model call of these takes 15 tokens and costs 20 cents. */
const price = { input: 10_000, output: 20_000 };
const NO_TOKENS = 'Agent stopped because its token budget was used up.';
const NO_MONEY = 'Agent stopped because its cost budget was used up.';

const echo = defineTool({ name: 'echo', description: 'says it again', run: (input) => `echo ${input}` });
const asking = defineTool({
  name: 'asking',
  description: 'asks the model three times',
  onFailure: 'observe',
  retry: { maxAttempts: 1 },
  async run(input, { complete }) {
    for (let n = 0; n < 3; n++) await complete('how are you?');
    if (input === 'fail') throw new Error('no');
    return 'fine';
  },
});
const endless = modelOf((step) => (step.includes('.') ? 'well' : act('echo', step)));
const closing = modelOf((step) => (Number(step) < 3 ? act('echo', step) : answer('so far')));
const boss = script(act('worker', 'a'), act('worker', 'b'), answer('all done'));
const worker = script(act('echo', 'x'), act('echo', 'y'), answer('worked'));
const toWorker = agentTool({ agent: 'worker', description: 'works' });
const toUnreadable = agentTool({ agent: 'unreadable', description: 'works', onFailure: 'observe' });
const reprice = defineTool({
  name: 'reprice',
  description: 'changes the price of the model',
  run: () => void Object.assign(prices, { repriced: { input: 0, output: 0 } }),
});
const fatal = defineTool({ ...asking, name: 'fatal', onFailure: 'fail' });

const guarded = defineTool({ ...echo, name: 'guarded', approval: 'always' });
const toStuck = agentTool({ agent: 'stuck', description: 'waits for a person' });

const agents = [
  { name: 'unpriced', model: endless, tools: [echo], maxIterations: 3 },
  {
    name: 'closing',
    model: closing,
    tools: [echo],
    maxIterations: 2,
    earlyStopping: 'generate' as const,
    budget: { totalTokens: 45 },
  },
  {
    name: 'generating',
    model: endless,
    tools: [echo],
    earlyStopping: 'generate' as const,
    budget: { totalTokens: 15 },
  },
  {
    name: 'asker-in-vain',
    model: script(act('asking', 'fail'), answer('never')),
    tools: [asking],
    budget: { totalTokens: 50 },
  },
  { name: 'worker', model: worker, tools: [echo] },
  { name: 'boss', model: boss, tools: [toWorker], budget: { cost: 1.2 } },
  { name: 'unreadable', model: modelOf(() => 'hm'), handleParsingErrors: false },
  {
    name: 'boss-in-vain',
    model: modelOf((step) => act('unreadable', step)),
    tools: [toUnreadable],
    budget: { totalTokens: 60 },
  },
  { name: 'long', model: endless, tools: [echo], maxIterations: null, budget: { totalTokens: 15 * 60 } },
  { name: 'repriced', model: script(act('reprice', 'x'), answer('done')), tools: [reprice] },
  { name: 'stuck', model: script(act('echo', 'x'), act('guarded', 'y')), tools: [echo, guarded] },
  {
    name: 'boss-of-stuck',
    model: script(act('stuck', 'a'), act('fatal', 'fail')),
    tools: [toStuck, fatal],
    budget: { totalTokens: 1_000 },
  },
  { name: 'failing', model: script(act('fatal', 'fail')), tools: [fatal] },
];

const priced = agents.map(({ name }) => name).filter((name) => name !== 'unpriced');
const prices = Object.fromEntries(priced.map((name) => [name, price]));
const told: RunEvent[] = [];
const rig = useRig({ agents, prices, onEvent: (event) => void told.push(event) });

describe('a budget', () => {
  test.each<[what: string, agent: string, ends: object]>([
    [
      'counts what a tool that failed has asked',
      'asker-in-vain',
      { usage: { totalTokens: 60, modelCalls: 4, cost: 0.8 } },
    ],
    ['pays for no closing answer', 'generating', { output: NO_TOKENS, usage: { modelCalls: 1 } }],
  ])('%s', async (_what, agent, ends) => {
    expect(await rig.client.run(agent, 'what?')).toMatchObject({ stopReason: 'budget', ...ends });
  });

  test('is counted on over continue-as-new', async () => {
    const run = await rig.client.start('long', 'what?');
    expect(await run.result()).toMatchObject({
      stopReason: 'budget',
      iterations: 60,
      usage: { totalTokens: 900, modelCalls: 60, cost: 12 },
    });
    expect((await eventsOf(run)).map(({ type }) => type)).toContain('continued');
  });
});

test('a budget of money ends a run at once whose model has no price, with the price to add', async () => {
  await expect(rig.client.run('unpriced', 'what?', { budget: { cost: 1 } })).rejects.toMatchObject({
    type: 'InvalidOverrides',
    message: expect.stringContaining("prices: { 'unpriced': { input, output } }") as string,
  });
});

describe('when a budget is used up, an agent that generates its answer at a limit', () => {
  test('is asked for it at another limit, while something is left', async () => {
    expect(await stepsOf(rig, 'closing')).toMatchObject({
      output: 'so far',
      stopReason: 'max_iterations',
      usage: { totalTokens: 45 },
    });
    expect(await rig.client.run('closing', 'what?', { budget: { totalTokens: 30 } })).toMatchObject({
      output: 'Agent stopped due to iteration limit or time limit.',
      stopReason: 'max_iterations',
      usage: { totalTokens: 30 },
    });
  });
});

describe('a sub-agent', () => {
  test('may use up what its parent has left, and what it has used up is its parent’s', async () => {
    const run = await rig.client.start('boss', 'what?');
    expect(await run.result()).toMatchObject({
      output: NO_MONEY,
      stopReason: 'budget',
      iterations: 2,
      usage: { cost: 1.2, modelCalls: 6 },
    });
    const [first, second] = await Promise.all(
      ['1.1', '2.1'].map((call) => rig.client.get(`${run.id}/${call}`).result()),
    );
    expect(first).toMatchObject({ output: 'worked', usage: { cost: 0.6 } });
    expect(second).toMatchObject({ stopReason: 'budget', usage: { cost: 0.2 } });
  });

  test('has its usage counted where it fails too', async () => {
    const run = await rig.client.start('boss-in-vain', 'what?');
    expect(await run.result()).toMatchObject({
      stopReason: 'budget',
      iterations: 2,
      usage: { totalTokens: 60, modelCalls: 4 },
    });
    await expect(rig.client.get(`${run.id}/1.1`).result()).rejects.toMatchObject({
      type: 'OutputParserError',
      report: { usage: { totalTokens: 15 } },
    });
  });
});

describe('the price', () => {
  test('at the start of a run is kept, whatever the config says later', async () => {
    expect(await rig.client.run('repriced', 'what?')).toMatchObject({ output: 'done', usage: { cost: 0.4 } });
    expect(await rig.client.run('repriced', 'what?')).toMatchObject({ output: 'done', usage: { cost: 0 } });
  });

  test('leaves no cost in a result where it is unknown', async () => {
    const { usage } = await rig.client.run('unpriced', 'what?');
    expect(usage).toStrictEqual({ promptTokens: 30, completionTokens: 15, totalTokens: 45, modelCalls: 3 });
  });
});

test.each([
  ['failing', { totalTokens: 60, modelCalls: 4, cost: 0.8 }],
  // Two model calls of a sub-agent that was cancelled are among them.
  ['boss-of-stuck', { totalTokens: 105, modelCalls: 7, cost: 1.4 }],
])('the cost of %s, which failed, is the same for who is told and for who reads', async (agent, used) => {
  const run = await rig.client.start(agent, 'what?');
  if (agent === 'boss-of-stuck') {
    await waitOf(run, { call: '1.1/2.1' });
    await run.decide('1.1', { type: 'cancelCall' });
  }
  await expect(run.result()).rejects.toMatchObject({ report: { usage: used } });
  const {
    usage: { actions, ...usage },
  } = await run.describe();
  expect(actions).toBeGreaterThan(0);
  // The worker tells of the end after the end is recorded.
  await expect
    .poll(() => told.findLast(({ type }) => type === 'run_ended'))
    .toMatchObject({ status: 'failed', usage });
});
