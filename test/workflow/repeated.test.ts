import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { agentTool } from '../../tools/agent-tool.ts';
import { defineTool } from '../../tools/tool.ts';
import { type Rig, eventOf, startRig } from '../support/rig.ts';
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
const helper = agentTool({ agent: 'helper', description: 'a sub-agent' });

let rig: Rig;
beforeAll(async () => {
  rig = await startRig({
    agents: [
      { name: 'a', model: said(() => replies), tools: [echo, pay, helper] },
      { name: 'helper', model: said(() => below), tools: [pay] },
    ],
  });
}, 60_000);
afterAll(() => rig.stop());
beforeEach(() => {
  [replies, below, paid] = [{}, {}, []];
});

describe('a call with an effect that happens once, made in a step that was dropped', () => {
  test('waits when it is made again, and says what it did then', async () => {
    replies = { '1': act('echo', 'x'), '2': act('pay', 'Ann'), '3': act('echo', 'y') };
    const run = await rig.client.start('a', 'what?');
    await run.result();
    await run.rewind({ step: 2 });
    const { park } = await eventOf(run.events({ live: false }), 'waiting');
    expect(park).toMatchObject({ call: '2.1', tool: 'pay', reason: 'repeated' });
    expect(park.error?.message).toMatch(/2\.1.*returned: receipt for Ann/u);
    expect(paid).toEqual(['Ann']);
    await run.decide('2.1', { type: 'skip' });
    await run.result();
    expect(paid).toEqual(['Ann']);

    // Nor is it forgotten when the run is taken back once more, by another worker.
    await rig.restart();
    await run.rewind({ step: 1 });
    await eventOf(run.events({ live: false }), 'waiting');
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

  test('waits also where a sub-agent made it, or makes it', async () => {
    replies = { '1': act('helper', 'help') };
    below = { '1': act('pay', 'Ann') };
    const run = await rig.client.start('a', 'what?');
    await run.result();
    await run.rewind({ step: 1 });
    const { park } = await eventOf(run.events({ live: false }), 'waiting');
    expect(park).toMatchObject({ call: '1.1/1.1', reason: 'repeated' });
    await run.decide('1.1/1.1', { type: 'skip' });
    await run.result();
    expect(paid).toEqual(['Ann']);
  });

  test('of a step that is kept is not asked about', async () => {
    replies = { '1': act('pay', 'Ann'), '2': act('pay', 'Ann') };
    const run = await rig.client.start('a', 'what?');
    await run.result();
    replies = { '2': act('pay', 'Bob') };
    await run.rewind({ step: 2 });
    expect((await run.result()).intermediateSteps).toHaveLength(2);
    expect(paid).toEqual(['Ann', 'Ann', 'Bob']);
  });
});
