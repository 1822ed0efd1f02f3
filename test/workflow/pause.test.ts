import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunEvent } from '../../agent/events.ts';
import type { AgentRun } from '../../client/agent-run.ts';
import { agentTool } from '../../tools/agent-tool.ts';
import { defineTool } from '../../tools/tool.ts';
import { createGate } from '../support/gate.ts';
import { type Rig, eventOf, startRig } from '../support/rig.ts';
import { act, answer, modelOf, promptOf } from '../support/scripts.ts';

const gate = createGate();
const slow = defineTool({
  name: 'slow',
  description: 'takes as long as the test wants',
  effects: 'none',
  async run(input) {
    await gate.pass();
    return `slow ${input}`;
  },
});
const helper = agentTool({ agent: 'helper', description: 'helps' });
const tools = [slow, helper];

const models = {
  once: modelOf((step) => (step === '1' ? act('slow', 'a') : answer('ok'))),
  twice: modelOf((step) => (Number(step) < 3 ? act('slow', step) : answer('ok'))),
  helper: modelOf((step) => (step === '1' ? act('slow', 'h') : answer('helped'))),
  parent: modelOf((step) => (step === '1' ? act('helper', 'help me') : answer('ok'))),
};
/** Waits with its answer: what is said meanwhile comes upon it. */
const answering = {
  requests: [] as string[],
  call: async (request: Parameters<typeof promptOf>[0]) => {
    answering.requests.push(promptOf(request));
    await gate.pass();
    const text = answer(`answer ${answering.requests.length}`);
    return {
      text,
      toolCalls: [],
      finishReason: 'stop',
      usage: { promptTokens: 1, completionTokens: 1, totalTokens: 2 },
    };
  },
};

const agent = (name: keyof typeof models) => ({ name, model: models[name], tools });

let rig: Rig;
beforeAll(async () => {
  rig = await startRig({
    agents: [
      agent('once'),
      agent('helper'),
      agent('parent'),
      { name: 'short', model: models.twice, tools, maxIterations: 1 },
      { name: 'hurried', model: models.once, tools, maxExecutionTime: 1500 },
      { name: 'answering', model: answering, tools },
    ],
  });
}, 60_000);
afterAll(() => rig.stop());

const started = (run: AgentRun, tool = 'slow') =>
  eventOf(run.events({ live: false }), 'tool_started', (event) => event.tool === tool);

async function eventsOf(run: AgentRun): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of run.events({ live: false })) events.push(event);
  return events;
}

async function startedAgain(name: string): Promise<AgentRun> {
  answering.requests.length = 0;
  return rig.client.start(name, 'what?');
}

describe('a run that is paused', () => {
  test('keeps the result of what was under way, begins nothing, and goes on where it was', async () => {
    const run = await rig.client.start('once', 'what?');
    await started(run);
    models.once.requests.length = 0;
    await run.pause();
    await gate.open();
    await eventOf(run.events({ live: false }), 'step');
    expect(await run.describe()).toMatchObject({ status: 'paused', iterations: 1 });
    expect(models.once.requests).toEqual([]);
    const status = await rig.temporal.workflow.getHandle(run.id).query('status');
    expect(status).toMatchObject({ status: 'paused', running: [] });
    await run.resume();
    expect((await run.result()).output).toBe('ok');
    expect((await eventsOf(run)).filter(({ type }) => type === 'steered')).toMatchObject([
      { message: { type: 'pause' } },
      { message: { type: 'resume' } },
    ]);
  });

  test('does not end while it is paused: what is said then is seen before the answer counts', async () => {
    const run = await startedAgain('answering');
    await expect.poll(() => answering.requests.length).toBe(1);
    await run.pause();
    await gate.open();
    await eventOf(run.events({ live: false }), 'model_ended');
    await run.say('One more thing.');
    await run.resume();
    await gate.open();
    expect((await run.result()).output).toBe('answer 2');
  });

  test('shows on the timeline and in the list that it is paused', async () => {
    const run = await rig.client.start('once', 'what?');
    await started(run);
    await run.pause();
    const { events } = await rig.temporal.workflow.getHandle(run.id).fetchHistory();
    const summaries = (events ?? []).flatMap(({ userMetadata }) => {
      const data = userMetadata?.summary?.data;
      return data ? [JSON.parse(Buffer.from(data).toString()) as unknown] : [];
    });
    expect(summaries).toContain('paused. resume');
    await run.resume();
    await gate.open();
    await run.result();
  });

  test('has its time limit stand still', async () => {
    const run = await rig.client.start('hurried', 'what?');
    await started(run);
    await run.pause();
    await new Promise((resolve) => setTimeout(resolve, 2000));
    await run.resume();
    await gate.open();
    expect(await run.result()).toMatchObject({ output: 'ok', stopReason: 'final_answer' });
  });

  test('has its sub-agents paused too, which only it can resume', async () => {
    const run = await rig.client.start('parent', 'what?');
    const child = rig.client.get(`${run.id}/1.1`);
    await started(run, 'helper');
    await expect
      .poll(() =>
        child.describe().then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    await started(child);
    await run.pause();
    await eventOf(child.events({ live: false }), 'steered');
    models.helper.requests.length = 0;
    await gate.open();
    await eventOf(child.events({ live: false }), 'step');
    expect(await child.describe()).toMatchObject({ status: 'paused' });
    await expect(child.resume()).rejects.toThrow(
      'resume: it is the run that this one is part of that is paused. Resume that one.',
    );
    expect(models.helper.requests).toEqual([]);
    await run.resume();
    expect((await run.result()).output).toBe('ok');
    expect(await child.describe()).toMatchObject({ status: 'completed', output: 'helped' });
  });
});

describe('a run that is extended', () => {
  test('may take more turns', async () => {
    const run = await rig.client.start('short', 'what?');
    await started(run);
    await run.extend({ iterations: 2 });
    await gate.open();
    await gate.open();
    expect(await run.result()).toMatchObject({ output: 'ok', stopReason: 'final_answer', iterations: 3 });
  });

  test('may take more time, also when its clock runs already', async () => {
    const run = await rig.client.start('hurried', 'what?');
    await started(run);
    await run.extend({ time: '10m' });
    await new Promise((resolve) => setTimeout(resolve, 2000));
    await gate.open();
    expect(await run.result()).toMatchObject({ output: 'ok', stopReason: 'final_answer' });
  });
});
