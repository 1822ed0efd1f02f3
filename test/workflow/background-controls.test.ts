import { beforeEach, describe, expect, test } from 'vitest';
import { cancelledTool, lateResult } from '../../agent/observation/observations.ts';
import {
  CANCELLED_BY_MODEL,
  ticketHasJustBegun,
  ticketIsCancelled,
  ticketIsOver,
  ticketIsUnderWay,
  ticketWaits,
  unknownTicket,
  waitEndedEarly,
  withProgress,
} from '../../agent/background/background-texts.ts';
import { agentTool } from '../../adapters/tools/agent-tool.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { createLivePoll } from '../../history/list/live.ts';
import { createGate } from '../support/gate.ts';
import { eventOf, eventsOf, useRig } from '../support/rig.ts';
import { gatedTool } from '../support/sample-tools.ts';
import { act, answer, modelOf, promptOf } from '../support/scripts.ts';

/** A model that asks about its background calls, waits for them, and cancels them. */
let replies: { [step: string]: string } = {};
const model = modelOf((step) => replies[step] ?? answer(`at ${step}`));
const native = modelOf((step) => {
  if (step === '1') return { toolCalls: [{ id: 'a', name: 'slowly', arguments: '{"__arg1":"x"}' }] };
  const control = { action: 'cancel', ticket: '1.1' };
  return step === '2'
    ? { toolCalls: [{ id: 'b', name: 'background', arguments: JSON.stringify(control) }] }
    : 'done';
});
const gate = createGate();
const slowly = defineTool({
  name: 'slowly',
  description: 'takes its time',
  background: true,
  async run(_, { progress, signal }) {
    progress('half of it');
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  },
});
const hasty = modelOf((step) => {
  const call = (id: string, name: string, input: object) => ({ id, name, arguments: JSON.stringify(input) });
  const toolCalls = [
    call('a', 'background', { action: 'wait', ticket: '1.3' }),
    call('b', 'background', { action: 'cancel', ticket: '1.3' }),
    call('c', 'gated', { __arg1: 'a' }),
  ];
  return step === '1' ? { toolCalls } : 'done';
});
const tools = [
  slowly,
  gatedTool(gate, 'held'),
  gatedTool(gate, 'gated', { background: true }),
  gatedTool(gate, 'asked', { background: true, approval: 'always' }),
  agentTool({ agent: 'keeper', description: 'keeps on', background: true }),
];
const rig = useRig({
  agents: [
    { name: 'steward', model, tools },
    { name: 'hasty steward', kind: 'tool-calling', model: hasty, tools },
    { name: 'native steward', kind: 'tool-calling', model: native, tools: [slowly] },
    {
      name: 'keeper',
      model: modelOf(() => act('slow_step', 'x')),
      tools: [{ ...slowly, name: 'slow_step', background: false }],
    },
  ],
});
beforeEach(() => {
  replies = {};
  model.requests.length = 0;
});

const control = (action: string, ticket: string) => act('background', JSON.stringify({ action, ticket }));
const stepsOf = async (run: Parameters<typeof eventsOf>[0]) =>
  (await eventsOf(run)).flatMap((event) =>
    event.type === 'step' ? [[event.step.call, event.step.observation]] : [],
  );
const promptAt = (step: number) =>
  promptOf(model.requests.findLast((one) => one.step === String(step))?.request);

describe('the tool background', () => {
  test('says what a call does now, with its progress', async () => {
    replies = {
      1: act('slowly', 'x'),
      2: act('held', 'y'),
      3: control('ask', '1.1'),
      4: control('cancel', '1.1'),
    };
    const run = await rig.client.start('steward', 'what?');
    const look = createLivePoll(
      rig.temporal,
      () => ({ workflowId: run.id, runId: '' }),
      () => 0,
    );
    await expect.poll(async () => (await look()).map(({ texts }) => texts.progress)).toContain('half of it');
    await gate.open();
    await run.result();
    const underWay = ticketIsUnderWay({ ticket: '1.1', tool: 'slowly' });
    expect(await stepsOf(run)).toContainEqual([
      '3.1',
      withProgress(underWay, { attempt: 1, progress: 'half of it' }),
    ]);
  });

  test('returns when the call is over, and the result is told once', async () => {
    replies = { 1: act('gated', 'a'), 2: control('wait', '1.1') };
    const run = await rig.client.start('steward', 'what?');
    await gate.reached(1);
    await eventOf(run, 'model_ended', ({ call }) => call === '2');
    await gate.open();
    await expect(run.result()).resolves.toMatchObject({ output: 'at 3' });
    expect(promptAt(3)).toContain(ticketIsOver({ ticket: '1.1', tool: 'gated' }));
    expect(promptAt(3).split('gated a')).toHaveLength(2);
  });

  test('cancels the call, whose result says so', async () => {
    replies = { 1: act('slowly', 'a'), 2: control('cancel', '1.1') };
    const run = await rig.client.start('steward', 'what?');
    await expect(run.result()).resolves.toMatchObject({ output: 'at 4' });
    const of = { ticket: '1.1', tool: 'slowly' };
    const cancelled = cancelledTool(CANCELLED_BY_MODEL);
    expect(promptAt(4)).toContain(ticketIsCancelled(of));
    expect(promptAt(4)).toContain(lateResult('1.1', 'slowly', cancelled, undefined));
    expect(await stepsOf(run)).toEqual([
      ['2.1', ticketIsCancelled(of)],
      ['1.1', cancelled],
    ]);
  });

  test('cancels a call that waits for approval', async () => {
    replies = { 1: act('asked', 'a'), 2: control('ask', '1.1'), 3: control('cancel', '1.1') };
    const run = await rig.client.start('steward', 'what?');
    await run.result();
    const of = { ticket: '1.1', tool: 'asked' };
    expect(await stepsOf(run)).toEqual([
      ['2.1', ticketWaits(of, { reason: 'approval' })],
      ['3.1', ticketIsCancelled(of)],
      ['1.1', cancelledTool(CANCELLED_BY_MODEL)],
    ]);
    expect((await eventsOf(run)).filter(({ type }) => type === 'resumed')).toEqual([]);
  });

  test('cancels a sub-agent', async () => {
    replies = { 1: act('keeper', 'a'), 2: control('cancel', '1.1') };
    const run = await rig.client.start('steward', 'what?');
    await run.result();
    expect(await stepsOf(run)).toContainEqual(['1.1', cancelledTool(CANCELLED_BY_MODEL)]);
  });

  test('names the open tickets where the ticket is none of them', async () => {
    replies = { 1: act('slowly', 'a'), 2: control('wait', '7.1'), 3: control('cancel', '1.1') };
    const run = await rig.client.start('steward', 'what?');
    await run.result();
    expect(promptAt(3)).toContain(unknownTicket([{ ticket: '1.1', tool: 'slowly' }]));
  });

  test('stops waiting at a message of a person', async () => {
    replies = { 1: act('slowly', 'a'), 2: control('wait', '1.1'), 3: control('cancel', '1.1') };
    const run = await rig.client.start('steward', 'what?');
    await eventOf(run, 'model_ended', ({ call }) => call === '2');
    await run.say('Hurry up.');
    await run.result();
    expect(promptAt(3)).toContain(waitEndedEarly(ticketIsUnderWay({ ticket: '1.1', tool: 'slowly' })));
    expect(promptAt(3)).toContain('Hurry up.');
  });

  test('stops waiting when a person cancels the wait', async () => {
    replies = { 1: act('slowly', 'a'), 2: control('wait', '1.1'), 3: control('cancel', '1.1') };
    const run = await rig.client.start('steward', 'what?');
    await eventOf(run, 'model_ended', ({ call }) => call === '2');
    await run.decide('2.1', { type: 'cancelCall' });
    await run.result();
    expect(await stepsOf(run)).toContainEqual(['2.1', cancelledTool(undefined)]);
  });

  test('returns when the call waits for a person', async () => {
    replies = { 1: act('asked', 'a'), 2: control('wait', '1.1'), 3: control('cancel', '1.1') };
    const run = await rig.client.start('steward', 'what?');
    await run.result();
    expect(await stepsOf(run)).toContainEqual([
      '2.1',
      ticketWaits({ ticket: '1.1', tool: 'asked' }, { reason: 'approval' }),
    ]);
  });

  test('takes no ticket that is a number: 3.10 would be 3.1', async () => {
    replies = {
      1: act('slowly', 'a'),
      2: act('background', '{"action":"cancel","ticket":1.1}'),
      3: control('cancel', '1.1'),
    };
    const run = await rig.client.start('steward', 'what?');
    await run.result();
    const steps = await stepsOf(run);
    expect(steps[0]).toEqual(['2.1', expect.stringContaining('ticket')]);
    expect(steps[1]).toEqual(['3.1', ticketIsCancelled({ ticket: '1.1', tool: 'slowly' })]);
  });

  test('waits for a later call of its step, and cancels none of its step', async () => {
    const run = await rig.client.start('hasty steward', 'what?');
    await gate.reached(1);
    await gate.open();
    await run.result();
    const of = { ticket: '1.3', tool: 'gated' };
    expect(Object.fromEntries(await stepsOf(run))).toEqual({
      '1.1': ticketIsOver(of),
      '1.2': ticketHasJustBegun(of),
      '1.3': 'gated a',
    });
  });

  test('is a native call of an agent with native calls', async () => {
    const run = await rig.client.start('native steward', 'what?');
    await expect(run.result()).resolves.toMatchObject({ output: 'done' });
    expect(await stepsOf(run)).toContainEqual(['1.1', cancelledTool(CANCELLED_BY_MODEL)]);
  });
});
