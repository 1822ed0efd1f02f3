import { describe, expect, test } from 'vitest';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { DecisionRefused } from '../../client/connect/errors.ts';
import { agentTool } from '../../tools/agent-tool.ts';
import { createGate } from '../support/gate.ts';
import { eventOf, eventsOf, useRig } from '../support/rig.ts';
import { type RecordingModel, act, answer, modelOf, promptOf } from '../support/scripts.ts';
import { gatedTool } from '../support/sample-tools.ts';

const gate = createGate();
const slow = gatedTool(gate);
const direct = gatedTool(gate, 'direct', { returnDirect: true });
const helper = agentTool({ agent: 'helper', description: 'helps' });
const tools = [slow, direct, helper];

const models = {
  once: modelOf((step) => (step === '1' ? act('slow', 'a') : answer('ok'))),
  both: modelOf((step) => (step.endsWith('1') ? act('slow', 'a') : answer('ok'))),
  twice: modelOf((step) => (Number(step) < 3 ? act('slow', step) : answer('ok'))),
  helper: modelOf((step) => (step === '1' ? act('slow', 'h') : answer('helped'))),
  parent: modelOf((step) => (step === '1' ? act('helper', 'help me') : answer('ok'))),
  direct: modelOf((step) => (step === '1' ? act('direct', 'a') : answer('after all'))),
};
/** Waits with its answer: what is said meanwhile comes upon it. */
const answering: RecordingModel = modelOf(async () => {
  await gate.pass();
  return answer(`answer ${answering.requests.length}`);
});

const agent = (name: keyof typeof models) => ({ name, model: models[name], tools });

const rig = useRig({
  agents: [
    agent('once'),
    agent('both'),
    agent('twice'),
    agent('direct'),
    agent('helper'),
    agent('parent'),
    { name: 'hurried', model: models.once, tools, maxExecutionTime: 1500 },
    { name: 'answering', model: answering, tools },
  ],
});

const started = (run: AgentRun, tool = 'slow') =>
  eventOf(run, 'tool_started', (event) => event.tool === tool);
const lastPrompt = (name: keyof typeof models) => promptOf(models[name].requests.at(-1)?.request);

async function historyLength(run: AgentRun): Promise<number> {
  return (await rig.temporal.workflow.getHandle(run.id).describe()).historyLength;
}

async function startedAgain(name: string): Promise<AgentRun> {
  answering.requests.length = 0;
  return rig.client.start(name, 'what?');
}

describe('a message of a person to a run', () => {
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
    expect(promptOf(answering.requests[1]?.request)).toContain(
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

describe('a message that does not fit', () => {
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

describe('a run that is paused', () => {
  test('keeps the result of what was under way, begins nothing, and goes on where it was', async () => {
    const run = await rig.client.start('once', 'what?');
    await started(run);
    models.once.requests.length = 0;
    await run.pause();
    await gate.open();
    await eventOf(run, 'step');
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
    await eventOf(run, 'model_ended');
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
    await eventOf(child, 'steered');
    models.helper.requests.length = 0;
    await gate.open();
    await eventOf(child, 'step');
    expect(await child.describe()).toMatchObject({ status: 'paused' });
    await expect(child.resume()).rejects.toThrow(
      'resume: this run is paused because its parent run is. Resume the parent run.',
    );
    expect(models.helper.requests).toEqual([]);
    await run.resume();
    expect((await run.result()).output).toBe('ok');
    expect(await child.describe()).toMatchObject({ status: 'completed', output: 'helped' });
  });
});

describe('a run that is extended', () => {
  test('may take more time, also when its clock runs already', async () => {
    const run = await rig.client.start('hurried', 'what?');
    await started(run);
    await run.extend({ time: '10m' });
    await new Promise((resolve) => setTimeout(resolve, 2000));
    await gate.open();
    expect(await run.result()).toMatchObject({ output: 'ok', stopReason: 'final_answer' });
  });
});
