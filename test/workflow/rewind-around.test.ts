import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ConfigDefinition } from '../../config/define.ts';
import type { RunEvent } from '../../agent/run/events.ts';
import { agentTool } from '../../tools/agent-tool.ts';
import { defineTool } from '../../tools/tool.ts';
import { toldAndRecorded } from '../support/told-events.ts';
import { type Rig, eventOf, startRig } from '../support/rig.ts';
import { act, answer, modelOf, promptOf } from '../support/scripts.ts';

/** A run that is taken back, and what is around it: a session, a parent, decisions, a changed config. */
let replies: { [step: string]: string } = {};
let below: { [step: string]: string } = {};
const said = (script: () => { [step: string]: string }) =>
  modelOf((step) => script()[step] ?? answer(`at ${step}`));
const model = said(() => replies);
const belowModel = said(() => below);

const stuck = defineTool({
  name: 'stuck',
  description: 'fails',
  retry: { maxAttempts: 1 },
  run: () => {
    throw new Error('out of order');
  },
});
const echo = defineTool({ name: 'echo', description: 'echoes', run: (input) => `echo ${input}` });
const helper = agentTool({ agent: 'helper', description: 'a sub-agent' });

const told = new Map<string, RunEvent[]>();
const config: ConfigDefinition = {
  onEvent: (event, { id }) => void told.set(id, [...(told.get(id) ?? []), event]),
  agents: [
    { name: 'a', model, tools: [stuck, echo, helper] },
    { name: 'friend', kind: 'conversational', model, tools: [stuck] },
    { name: 'helper', model: belowModel, tools: [stuck] },
  ],
};
let rig: Rig;
beforeAll(async () => {
  rig = await startRig(config);
}, 60_000);
afterAll(() => rig.stop());
beforeEach(() => {
  [replies, below] = [{}, {}];
  model.requests.length = 0;
});

const json = (action: string, input: string) =>
  `\`\`\`json\n${JSON.stringify({ action, action_input: input })}\n\`\`\``;

describe('in a session', () => {
  test('the conversation goes on with the answer of the run that took the place of the one before', async () => {
    replies = { '1': json('stuck', 'x') };
    const run = await rig.client.start('friend', 'first?', { session: 'around: taken back' });
    await eventOf(run.events({ live: false }), 'waiting');
    replies = { '1': json('Final Answer', 'the first answer') };
    await run.rewind({ step: 1 });
    expect((await run.result()).output).toBe('the first answer');
    replies = { '1': json('Final Answer', 'the second answer') };
    await (await rig.client.start('friend', 'second?', { session: 'around: taken back' })).result();
    const { messages, running } = await rig.client.session('around: taken back').describe();
    expect(messages.map(({ content }) => content)).toEqual([
      'first?',
      'the first answer',
      'second?',
      'the second answer',
    ]);
    expect(running).toBeNull();
    expect(JSON.stringify(model.requests.at(-1)?.request.prompt)).toContain('the first answer');
  });

  test('a run that had failed and is retried brings its answer into the conversation, once', async () => {
    replies = { '1': json('stuck', 'x') };
    const run = await rig.client.start('friend', 'first?', { session: 'around: retried' });
    await eventOf(run.events({ live: false }), 'waiting');
    await run.decide('1.1', { type: 'abort' });
    await expect(run.result()).rejects.toMatchObject({ type: 'Aborted' });
    replies = { '1': json('Final Answer', 'the second answer') };
    await (await rig.client.start('friend', 'second?', { session: 'around: retried' })).result();

    replies = { '1': json('stuck', 'x'), '2': json('Final Answer', 'the first answer') };
    await run.retry();
    await expect.poll(async () => (await run.describe()).waiting).toHaveLength(1);
    await run.decide('1.1', { type: 'skip' });
    await run.result();
    const said = async () =>
      (await rig.client.session('around: retried').describe()).messages.map(({ content }) => content);
    const conversation = ['second?', 'the second answer', 'first?', 'the first answer'];
    await expect.poll(said).toEqual(conversation);
    await run.rewind({ step: 2 });
    await run.result();
    replies = { '1': json('Final Answer', 'the third answer') };
    await (await rig.client.start('friend', 'third?', { session: 'around: retried' })).result();
    expect(await said()).toEqual([...conversation, 'third?', 'the third answer']);
    const prompt = JSON.stringify(model.requests.at(-1)?.request.prompt);
    expect(prompt.split('the first answer')).toHaveLength(2);
  });

  test('a run that was just terminated leaves nothing, and the next has its turn', async () => {
    replies = { '1': json('stuck', 'x') };
    const run = await rig.client.start('friend', 'first?', { session: 'around: terminated' });
    await eventOf(run.events({ live: false }), 'waiting');
    await rig.temporal.workflow.getHandle(run.id).terminate('a test');
    replies = { '1': json('Final Answer', 'an answer') };
    await (await rig.client.start('friend', 'second?', { session: 'around: terminated' })).result();
    const { messages } = await rig.client.session('around: terminated').describe();
    expect(messages.map(({ content }) => content)).toEqual(['second?', 'an answer']);
  });
});

describe('a sub-agent', () => {
  test('that is taken back itself answers its parent', async () => {
    replies = { '1': act('helper', 'help') };
    below = { '1': act('stuck', 'x') };
    const run = await rig.client.start('a', 'what?');
    await eventOf(run.events({ live: false }), 'waiting', ({ wait }) => wait.call === '1.1/1.1');
    below = { '1': answer('helped') };
    await rig.client.get(`${run.id}/1.1`).rewind({ step: 1 });
    const { intermediateSteps, output } = await run.result();
    expect(output).toBe('at 2');
    expect(intermediateSteps).toMatchObject([{ call: '1.1', observation: 'helped' }]);
    expect(await run.describe()).toMatchObject({ waiting: [], status: 'completed' });
  });

  test('that is taken back itself has not failed for whoever hears of its parent, and waits no more', async () => {
    replies = { '1': act('helper', 'help') };
    below = { '1': act('stuck', 'x') };
    const run = await rig.client.start('a', 'what?');
    await eventOf(run.events({ live: false }), 'waiting', ({ wait }) => wait.call === '1.1/1.1');
    const helping = rig.client.get(`${run.id}/1.1`);
    await helping.rewind({ step: 1 });
    const resumed = await eventOf(run.events({ live: false }), 'resumed');
    expect(resumed).toMatchObject({ call: '1.1/1.1' });
    await eventOf(
      run.events({ live: false }),
      'waiting',
      ({ wait }) => wait.call === '1.1/1.1' && wait.n === 0,
    );
    await expect.poll(async () => (await helping.describe()).waiting).toHaveLength(1);
    await helping.decide('1.1', { type: 'abort' });
    await eventOf(run.events({ live: false }), 'waiting', ({ wait }) => wait.call === '1.1');
    await run.decide('1.1', { type: 'resolve', output: 'by hand' });
    await run.result();
    const { told: heard, recorded, lines } = await toldAndRecorded(run, () => told.get(run.id) ?? []);
    expect(heard).toEqual(recorded);
    expect(lines).toMatchInlineSnapshot(`
      [
        "run_started",
        "model_started 1",
        "model_ended 1",
        "action 1.1",
        "tool_started 1.1",
        "waiting 1.1/1.1",
        "resumed 1.1/1.1",
        "waiting 1.1/1.1",
        "resumed 1.1/1.1",
        "tool_failed 1.1",
        "waiting 1.1",
        "decided 1.1: resolve",
        "step 1.1: "by hand"",
        "model_started 2",
        "model_ended 2",
        "finish",
        "run_ended: completed, final_answer",
      ]
    `);
  });

  test('that was taken back is cancelled with its parent', async () => {
    replies = { '1': act('helper', 'help') };
    below = { '1': act('stuck', 'x') };
    const run = await rig.client.start('a', 'what?');
    await eventOf(run.events({ live: false }), 'waiting', ({ wait }) => wait.call === '1.1/1.1');
    const helping = rig.client.get(`${run.id}/1.1`);
    await helping.rewind({ step: 1 });
    await eventOf(helping.events({ live: false }), 'waiting', () => true);
    await run.cancel();
    await expect(run.result()).rejects.toThrow(/cancelled/u);
    await expect(helping.result()).rejects.toThrow(/cancelled/u);
  });
});

test('a decision that was sent after the step does not come back', async () => {
  replies = { '1': act('echo', 'x'), '2': act('stuck', 'x') };
  const run = await rig.client.start('a', 'what?');
  await eventOf(run.events({ live: false }), 'waiting');
  await run.decide('2.1', { type: 'resolve', output: 'by hand' });
  await run.result();
  await run.rewind({ step: 2 });
  await eventOf(run.events({ live: false }), 'waiting');
  expect(await run.describe()).toMatchObject({
    status: 'waiting',
    waiting: [{ call: '2.1', reason: 'failed' }],
  });
  await run.decide('2.1', { type: 'resolve', output: 'again by hand' });
  expect((await run.result()).intermediateSteps[1]).toMatchObject({ observation: 'again by hand' });
});

test('an agent that was changed since stays as it was when the run began', async () => {
  replies = { '1': act('echo', 'x') };
  const run = await rig.client.start('a', 'what?');
  await run.result();
  const before = promptOf(model.requests[1]?.request);
  const [agent] = config.agents;
  if (agent === undefined) throw new Error('the config has agents');
  await rig.restart(async () => void Object.assign(agent, { prompt: { prefix: 'Quite another prompt.' } }));
  model.requests.length = 0;
  await run.rewind({ step: 2 });
  await run.result();
  expect(model.requests.map(({ request }) => promptOf(request))).toEqual([before]);
});
