import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunEvent } from '../../agent/events.ts';
import type { AgentRun } from '../../client/agent-run.ts';
import { DecisionRefused } from '../../client/errors.ts';
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
const direct = defineTool({
  name: 'direct',
  description: 'd',
  effects: 'none',
  returnDirect: true,
  async run(input) {
    await gate.pass();
    return `direct ${input}`;
  },
});
const tools = [slow, direct];

const models = {
  once: modelOf((step) => (step === '1' ? act('slow', 'a') : answer('ok'))),
  both: modelOf((step) => (step.endsWith('1') ? act('slow', 'a') : answer('ok'))),
  twice: modelOf((step) => (Number(step) < 3 ? act('slow', step) : answer('ok'))),
  direct: modelOf((step) => (step === '1' ? act('direct', 'a') : answer('after all'))),
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
      agent('both'),
      agent('twice'),
      agent('direct'),
      { name: 'answering', model: answering, tools },
      { name: 'hasty', model: answering, tools, maxIterations: 1 },
    ],
  });
}, 60_000);
afterAll(() => rig.stop());

const started = (run: AgentRun, tool = 'slow') =>
  eventOf(run.events({ live: false }), 'tool_started', (event) => event.tool === tool);
const lastPrompt = (name: keyof typeof models) => promptOf(models[name].requests.at(-1)?.request);

async function eventsOf(run: AgentRun): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of run.events({ live: false })) events.push(event);
  return events;
}

async function historyLength(run: AgentRun): Promise<number> {
  return (await rig.temporal.workflow.getHandle(run.id).describe()).historyLength;
}

async function startedAgain(name: string): Promise<AgentRun> {
  answering.requests.length = 0;
  return rig.client.start(name, 'what?');
}

describe('what a person says to a run', () => {
  test('stands behind the last observation when the model is asked next, and in every prompt from then on', async () => {
    const run = await rig.client.start('twice', 'what?');
    await started(run);
    await run.say('Be brief.');
    await run.say('In English.');
    await gate.open();
    await gate.open();
    const { iterations, output } = await run.result();
    expect({ iterations, output }).toEqual({ iterations: 3, output: 'ok' });
    expect(lastPrompt('twice')).toContain(
      'Observation: slow 1\nMessage from the user: Be brief.\nMessage from the user: In English.\nThought: I need slow.',
    );
  });

  test('is seen before an answer that it came upon ends the run: the model is asked again, and is shown its answer', async () => {
    const run = await startedAgain('answering');
    await expect.poll(() => answering.requests.length).toBe(1);
    await run.say('And in Celsius?');
    await gate.open();
    await gate.open();
    const { output, iterations, stopReason } = await run.result();
    expect({ output, iterations, stopReason }).toEqual({
      output: 'answer 2',
      iterations: 2,
      stopReason: 'final_answer',
    });
    expect(answering.requests[1]).toContain(
      'Final Answer: answer 1\nMessage from the user: And in Celsius?\nThought:',
    );
    expect((await eventsOf(run)).filter(({ type }) => type === 'finish' || type === 'unheard')).toEqual([
      expect.objectContaining({ type: 'finish', output: 'answer 2' }),
    ]);
  });

  test('is seen before the result of a tool with returnDirect ends the run', async () => {
    const run = await rig.client.start('direct', 'what?');
    await started(run, 'direct');
    await run.say('Is that so?');
    await gate.open();
    expect((await run.result()).output).toBe('after all');
    expect(lastPrompt('direct')).toContain(
      'Observation: direct a\nMessage from the user: Is that so?\nThought:',
    );
  });

  test('is not seen where a limit ends the run, and the run says so', async () => {
    const run = await startedAgain('hasty');
    await expect.poll(() => answering.requests.length).toBe(1);
    await run.say('Too late?');
    await gate.open();
    expect(await run.result()).toMatchObject({ output: 'answer 1', stopReason: 'final_answer' });
    expect((await eventsOf(run)).slice(-3)).toMatchObject([
      { type: 'unheard', messages: ['Too late?'] },
      { type: 'finish' },
      { type: 'run_ended' },
    ]);
  });

  test('reaches all agents of a workflow that run', async () => {
    const id = `side-by-side-${Date.now()}`;
    const handle = await rig.temporal.workflow.start('sideBySide', {
      workflowId: id,
      taskQueue: rig.taskQueue,
      args: ['both', ['one?', 'two?']],
    });
    const run = rig.client.get(id);
    await gate.reached(2);
    models.both.requests.length = 0;
    await run.say('Hello both.');
    await gate.open();
    await handle.result();
    const seen = models.both.requests.filter(({ request }) => promptOf(request).includes('Hello both.'));
    expect(seen).toHaveLength(2);
  });

  test('is kept when the worker dies right after', async () => {
    const run = await rig.client.start('once', 'what?');
    await started(run);
    await run.say('Remember this.');
    await rig.restart(gate.open);
    await gate.open();
    await run.result();
    expect(lastPrompt('once')).toContain('Message from the user: Remember this.');
  });
});

describe('what does not fit', () => {
  test('is refused with a sentence, and leaves no trace', async () => {
    const run = await rig.client.start('once', 'what?');
    await started(run);
    const before = await historyLength(run);
    await expect(run.say(' ')).rejects.toThrow(DecisionRefused);
    await expect(run.resume()).rejects.toThrow('resume: the run is not paused. Possible: pause.');
    await expect(run.extend({ time: '1h' })).rejects.toThrow(
      'extend: the run has no limit of time to raise. Its limits: iterations.',
    );
    expect(await historyLength(run)).toBe(before);
    await gate.open();
    await run.result();
    await expect(run.say('Hello?')).rejects.toThrow(`say: run ${run.id} is over (completed)`);
  });
});
