import { beforeEach, describe, expect, test } from 'vitest';
import { LOST_CALL, lateResult, ticketText } from '../../agent/observation/observations.ts';
import { agentTool } from '../../adapters/tools/agent-tool.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { createGate } from '../support/gate.ts';
import { continuedAfter, eventOf, eventsOf, useRig, waitOf } from '../support/rig.ts';
import { brokenTool, gatedTool } from '../support/sample-tools.ts';
import { act, answer, modelOf, promptOf } from '../support/scripts.ts';

/** Background calls on a server: the model continues with a ticket, and gets the result as a message. */
let replies: { [step: string]: string } = {};
let payer: { [step: string]: string } = {};
const model = modelOf((step) => replies[step] ?? answer(`at ${step}`));
const gate = createGate();
const other = createGate();
const note = defineTool({ name: 'note', description: 'notes', run: (input) => `noted ${input}` });
const background = { background: true };
const tools = [
  gatedTool(gate, 'slow', background),
  gatedTool(other, 'later', background),
  gatedTool(other, 'pay', { ...background, effects: 'once' }),
  { ...brokenTool('out of order', 'asks'), ...background },
  { ...brokenTool('out of order', 'fails'), ...background, onFailure: 'fail' as const },
  note,
  agentTool({ agent: 'helper', description: 'helps', background: true }),
  agentTool({ agent: 'payer', description: 'pays', background: true }),
];
const helper = modelOf(() => answer('the helper is done'));
const rig = useRig(
  {
    agents: [
      { name: 'boss', model, tools },
      { name: 'short', model, tools, maxIterations: 2 },
      { name: 'helper', model: helper, tools: [] },
      {
        name: 'payer',
        model: modelOf((step) => payer[step] ?? answer('paid')),
        tools: [
          defineTool({ name: 'once', description: 'pays', effects: 'once', run: (input) => `paid ${input}` }),
          brokenTool('out of order', 'breaks'),
        ],
      },
    ],
  },
  { server: continuedAfter(40) },
);
beforeEach(() => {
  replies = {};
  model.requests.length = 0;
});

const promptAt = (step: number) =>
  promptOf(model.requests.findLast((one) => one.step === String(step))?.request);
const seen = (call: string, tool: string, observation: string) =>
  lateResult(call, tool, observation, undefined);

describe('a background call', () => {
  test('gives the model a ticket at once, and its result when it has ended', async () => {
    replies = { 1: act('slow', 'a'), 2: act('note', 'b'), 3: act('note', 'c') };
    const run = await rig.client.start('boss', 'what?');
    await eventOf(run, 'step', ({ step }) => step.call === '3.1');
    expect(promptAt(2)).toContain(ticketText('1.1'));
    expect(promptAt(3)).not.toContain('slow a');
    await gate.open();
    const { output, intermediateSteps } = await run.result();
    expect(output).toBe('at 5');
    expect(intermediateSteps.map(({ call, observation }) => [call, observation])).toEqual([
      ['1.1', 'slow a'],
      ['2.1', 'noted b'],
      ['3.1', 'noted c'],
    ]);
    expect(promptAt(5)).toContain(seen('1.1', 'slow', 'slow a'));
    expect(promptAt(5).split('slow a')).toHaveLength(2);
  });

  test('is waited for by the answer of the run, with all others', async () => {
    replies = { 1: act('slow', 'a'), 2: act('later', 'b') };
    const run = await rig.client.start('boss', 'what?');
    await eventOf(run, 'model_ended', ({ call }) => call === '3');
    await Promise.all([gate.reached(1), other.reached(1)]);
    await gate.open();
    await eventOf(run, 'step', ({ step }) => step.call === '1.1');
    await other.open();
    await expect(run.result()).resolves.toMatchObject({ output: 'at 4' });
    expect(promptAt(4)).toMatch(/at 3[^]*slow a[^]*later b/u);
  });

  test('of a sub-agent reports its answer', async () => {
    replies = { 1: act('helper', 'help') };
    const run = await rig.client.start('boss', 'what?');
    await expect(run.result()).resolves.toMatchObject({ output: 'at 3' });
    expect(promptAt(3)).toContain(seen('1.1', 'helper', 'the helper is done'));
  });

  test('that fails waits for a person, while the model continues', async () => {
    replies = { 1: act('asks', 'a'), 2: act('note', 'b') };
    const run = await rig.client.start('boss', 'what?');
    await eventOf(run, 'step', ({ step }) => step.call === '2.1');
    await waitOf(run, { call: '1.1' });
    await run.decide('1.1', { type: 'resolve', output: 'by hand' });
    await expect(run.result()).resolves.toMatchObject({ output: 'at 4' });
    expect(promptAt(4)).toContain(seen('1.1', 'asks', 'by hand'));
  });

  test('fails the run with onFailure "fail"', async () => {
    replies = { 1: act('slow', 'a'), 2: act('fails', 'b') };
    const run = await rig.client.start('boss', 'what?');
    await expect(run.result()).rejects.toThrow('out of order');
    await gate.open();
  });

  test('is waited for at a limit too, and is in the steps of the run', async () => {
    replies = { 1: act('slow', 'a'), 2: act('note', 'b') };
    const run = await rig.client.start('short', 'what?');
    await eventOf(run, 'step', ({ step }) => step.call === '2.1');
    await gate.open();
    const { stopReason, intermediateSteps } = await run.result();
    expect({ stopReason, first: intermediateSteps[0]?.observation }).toEqual({
      stopReason: 'max_iterations',
      first: 'slow a',
    });
  });

  test('ends with its run when that is cancelled', async () => {
    replies = { 1: act('slow', 'a') };
    const run = await rig.client.start('boss', 'what?');
    await eventOf(run, 'model_ended', ({ call }) => call === '2');
    await run.cancel();
    await expect(run.result()).rejects.toThrow(/cancel/iu);
    await gate.open();
  });
});

describe('a run with background calls', () => {
  test('continues as new when they are over', async () => {
    for (let step = 2; step <= 9; step++) replies[step] = act('note', String(step));
    replies[1] = act('slow', 'a');
    const run = await rig.client.start('boss', 'what?');
    await eventOf(run, 'step', ({ step }) => step.call === '9.1');
    await gate.open();
    replies[11] = act('note', '11');
    await expect(run.result()).resolves.toMatchObject({ output: 'at 12' });
    const types = (await eventsOf(run)).map(({ type }) => type);
    expect(types.filter((type) => type === 'continued')).toHaveLength(1);
    expect(promptAt(12).split('slow a')).toHaveLength(2);
  });

  test('that rewinds itself keeps those of kept steps, and drops the others', async () => {
    replies = { 1: act('slow', 'a'), 2: act('later', 'b') };
    const run = await rig.client.start('boss', 'what?');
    await Promise.all([gate.reached(1), other.reached(1)]);
    await run.rewind({ step: 2 });
    await eventOf(run, 'restarted');
    await other.open();
    await other.reached(1);
    await Promise.all([gate.open(), other.open()]);
    await expect(run.result()).resolves.toMatchObject({ output: 'at 4' });
    expect(promptAt(4).split('slow a')).toHaveLength(2);
    expect(promptAt(4).split('later b')).toHaveLength(2);
  });

  test('gets a result again that only a dropped step had', async () => {
    replies = { 1: act('slow', 'a'), 2: act('note', 'b'), 4: act('asks', 'c') };
    const run = await rig.client.start('boss', 'what?');
    await eventOf(run, 'model_ended', ({ call }) => call === '3');
    await gate.open();
    await waitOf(run, { call: '4.1' });
    replies[4] = answer('again');
    await run.rewind({ step: 2 });
    await expect(run.result()).resolves.toMatchObject({ output: 'at 3' });
    expect(promptAt(2)).toContain(seen('1.1', 'slow', 'slow a'));
    expect(promptAt(3).split('slow a')).toHaveLength(2);
  });

  test('asks a person before it repeats an effect of a call whose result nobody knows', async () => {
    replies = { 1: act('pay', '5'), 2: act('note', 'b') };
    const run = await rig.client.start('boss', 'what?');
    await other.reached(1);
    await run.cancel();
    await expect(run.result()).rejects.toThrow(/cancel/iu);
    replies = { 1: act('pay', '5'), 2: act('note', 'b'), 3: act('pay', '5') };
    await run.retry();
    await waitOf(run, { call: '3.1', reason: 'repeated' });
    expect(promptAt(3)).toContain(LOST_CALL);
    await run.decide('3.1', { type: 'skip' });
    await other.open();
    await run.result();
  });

  test('asks a person before a retried sub-agent repeats an effect, after a rewind that kept the call', async () => {
    replies = { 1: act('payer', 'pay it'), 2: act('note', 'b') };
    payer = { 1: act('once', '5'), 2: act('breaks', 'x') };
    const run = await rig.client.start('boss', 'what?');
    await waitOf(run, { call: '1.1/2.1' });
    await run.decide('1.1/2.1', { type: 'abort' });
    await waitOf(run, { call: '1.1', reason: 'failed' });
    await eventOf(run, 'model_ended', ({ call }) => call === '3');
    await run.rewind({ step: 2 });
    await eventOf(run, 'restarted');
    await run.decide('1.1', { type: 'retry' });
    const { call } = await waitOf(run, { reason: 'repeated' });
    payer = {};
    await run.decide(call, { type: 'skip' });
    await expect(run.result()).resolves.toMatchObject({ output: 'at 4' });
  });

  test('has a fork that is told of calls of the other run, and of their results', async () => {
    replies = { 1: act('slow', 'a'), 2: act('later', 'b'), 3: act('note', 'c') };
    const run = await rig.client.start('boss', 'what?');
    await Promise.all([gate.reached(1), other.reached(1)]);
    await gate.open();
    await eventOf(run, 'step', ({ step }) => step.call === '1.1');
    const fork = rig.client.get((await run.fork({ step: 3 })).id);
    await expect(fork.result()).resolves.toMatchObject({ output: 'at 4' });
    expect(promptAt(4)).toContain(seen('1.1', 'slow', 'slow a'));
    expect(promptAt(4)).toContain(seen('2.1', 'later', LOST_CALL));
    await other.open();
    await run.result();
  });
});
