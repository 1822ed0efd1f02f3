import { beforeEach, describe, expect, test } from 'vitest';
import { agentTool } from '../../tools/agent-tool.ts';
import { defineTool } from '../../tools/tool.ts';
import { until } from '../support/processes.ts';
import { useRig, waitOf } from '../support/rig.ts';
import { act, answer, modelOf } from '../support/scripts.ts';

let replies: { [step: string]: string } = {};
let below: { [step: string]: string } = {};
const said = (script: () => { [step: string]: string }) =>
  modelOf((step) => script()[step] ?? answer(`at ${step}`));
const echo = defineTool({ name: 'echo', description: 'echoes', run: (input) => `echo ${input}` });
let paid: string[] = [];
const pay = defineTool({
  name: 'pay',
  description: 'pays',
  effects: 'once',
  run(input) {
    paid.push(input);
    return `receipt for ${input}`;
  },
});
const broken = defineTool({
  name: 'broken',
  description: 'fails',
  onFailure: 'fail',
  retry: { maxAttempts: 1 },
  run() {
    throw new Error('out of order');
  },
});
let open: (() => void)[] = [];
/** Keeps its call going until the test has it end, cancelled or not. */
const gate = defineTool({
  name: 'gate',
  description: 'waits',
  run: () => new Promise<string>((resolve) => open.push(() => resolve('open'))),
});
const helper = agentTool({ agent: 'helper', description: 'a sub-agent' });

const rig = useRig({
  agents: [
    { name: 'a', model: said(() => replies), tools: [echo, pay, helper] },
    { name: 'helper', model: said(() => below), tools: [pay, broken, gate] },
  ],
});
beforeEach(() => {
  [replies, below, paid] = [{}, {}, []];
  open = [];
});

describe('a call with an effect that happens once, made in a step that was dropped', () => {
  test('waits when it is made again, and says what it did then', async () => {
    replies = { '1': act('echo', 'x'), '2': act('pay', 'Ann'), '3': act('echo', 'y') };
    const run = await rig.client.start('a', 'what?');
    await run.result();
    await run.rewind({ step: 2 });
    const wait = await waitOf(run);
    expect(wait).toMatchObject({ call: '2.1', tool: 'pay', reason: 'repeated' });
    expect(wait.error?.message).toMatch(/2\.1.*returned: receipt for Ann/u);
    expect(paid).toEqual(['Ann']);
    await run.decide('2.1', { type: 'skip' });
    await run.result();
    expect(paid).toEqual(['Ann']);

    // Nor is it forgotten when the run is taken back once more, by another worker.
    await rig.restart();
    await run.rewind({ step: 1 });
    await waitOf(run);
    await run.decide('2.1', { type: 'retry' });
    await run.result();
    expect(paid).toEqual(['Ann', 'Ann']);
  });

  test('does not keep another one from being made', async () => {
    replies = { '1': act('pay', 'Ann') };
    const run = await rig.client.start('a', 'what?');
    await run.result();
    replies = { '1': act('pay', 'Bob') };
    await run.rewind({ step: 1 });
    await run.result();
    expect(paid).toEqual(['Ann', 'Bob']);
  });

  test('waits also when it is a person who gives its input in the place of another', async () => {
    replies = { '1': act('pay', 'Ann'), '2': act('pay', 'Bob') };
    const run = await rig.client.start('a', 'what?');
    await run.result();
    replies = { '1': act('pay', 'Bob') };
    await run.rewind({ step: 1 });
    const first = await waitOf(run);
    await run.decide('1.1', { type: 'retry', input: 'Ann' });
    const second = await waitOf(run, { n: first.n + 1 });
    expect(second).toMatchObject({ reason: 'repeated', toolInput: 'Ann' });
    expect((await run.describe()).waiting[0]?.error?.message).toContain('receipt for Ann');
    expect(paid).toEqual(['Ann', 'Bob']);
    await run.decide('1.1', { type: 'skip' });
    await run.result();
    expect(paid).toEqual(['Ann', 'Bob']);
  });

  test('waits also where a sub-agent made it, or makes it', async () => {
    replies = { '1': act('helper', 'help') };
    below = { '1': act('pay', 'Ann') };
    const run = await rig.client.start('a', 'what?');
    await run.result();
    await run.rewind({ step: 1 });
    const wait = await waitOf(run);
    expect(wait).toMatchObject({ call: '1.1~1/1.1', reason: 'repeated' });
    await run.decide('1.1~1/1.1', { type: 'skip' });
    await run.result();
    expect(paid).toEqual(['Ann']);
  });

  test('waits also where the sub-agent that made it was rewound itself before', async () => {
    replies = { '1': act('helper', 'help') };
    below = { '1': act('pay', 'Ann'), '2': act('gate', '') };
    const run = await rig.client.start('a', 'what?');
    await until(() => open.length === 1);
    const helping = rig.client.get(`${run.id}/1.1`);
    await helping.rewind({ step: 1 });
    await waitOf(helping);
    await helping.decide('1.1', { type: 'skip' });
    await until(() => open.length === 2);
    await run.rewind({ step: 1 });
    expect(await waitOf(run, { call: '1.1~1/1.1' })).toMatchObject({ reason: 'repeated' });
    expect(paid).toEqual(['Ann']);
  });

  test('is not begun again for the sub-agent alone, once its parent has its end', async () => {
    replies = { '1': act('helper', 'help') };
    below = { '1': act('pay', 'Ann') };
    const run = await rig.client.start('a', 'what?');
    await run.result();
    await expect(rig.client.get(`${run.id}/1.1`).rewind({ step: 1 })).rejects.toThrow(
      `is over: its parent has its end. Have the parent make the call again: reloop retry ${run.id} 1.1`,
    );
  });

  test('is not made by a sub-agent that was about to make it when its parent was taken back', async () => {
    replies = { '1': act('helper', 'help') };
    below = { '1': act('gate', ''), '2': act('pay', 'Ann') };
    const run = await rig.client.start('a', 'what?');
    await until(() => open.length === 1);
    // From here on it is nobody's child: its parent's end does not end it.
    await rig.client.get(`${run.id}/1.1`).rewind({ step: 1 });
    await until(() => open.length === 2);
    await run.rewind({ step: 1 });
    await expect.poll(() => isToldToEnd(`${run.id}/1.1`)).toBe(true);
    open.forEach((end) => end());
    await until(() => open.length === 3);
    open.forEach((end) => end());
    await run.result();
    expect(paid).toEqual(['Ann']);
  });

  test('is not asked about in a step that is kept', async () => {
    replies = { '1': act('pay', 'Ann'), '2': act('pay', 'Ann') };
    const run = await rig.client.start('a', 'what?');
    await run.result();
    replies = { '2': act('pay', 'Bob') };
    await run.rewind({ step: 2 });
    expect((await run.result()).intermediateSteps).toHaveLength(2);
    expect(paid).toEqual(['Ann', 'Ann', 'Bob']);
  });
});

test('a sub-agent that failed behind an effect and is called again asks before it makes it again', async () => {
  replies = { '1': act('helper', 'help') };
  below = { '1': act('pay', 'Ann'), '2': act('broken', '') };
  const run = await rig.client.start('a', 'what?');
  await waitOf(run, { call: '1.1', n: 0 });
  await run.decide('1.1', { type: 'retry' });
  expect(await waitOf(run, { call: '1.1~1/1.1', n: 0 })).toMatchObject({ tool: 'pay', reason: 'repeated' });
  await run.decide('1.1~1/1.1', { type: 'skip' });
  // Nor is it forgotten when that one fails too.
  await waitOf(run, { call: '1.1', n: 1 });
  await run.decide('1.1', { type: 'retry' });
  expect(await waitOf(run, { call: '1.1~2/1.1', n: 0 })).toMatchObject({ tool: 'pay', reason: 'repeated' });
  expect(paid).toEqual(['Ann']);
  await run.cancel();
});

/** A workflow whose call has heard that it is cancelled. */
async function isToldToEnd(workflowId: string): Promise<boolean> {
  const { events } = await rig.temporal.workflow.getHandle(workflowId).fetchHistory();
  return events?.some((event) => event.activityTaskCancelRequestedEventAttributes) === true;
}
