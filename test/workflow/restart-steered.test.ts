import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { ModelError } from '../../models/model.ts';
import { defineTool } from '../../tools/tool.ts';
import { eventOf, useRig, waitOf } from '../support/rig.ts';
import { act, answer, modelOf, promptOf } from '../support/scripts.ts';

/** Runs that people have steered, and that do steps again. */
let replies: { [step: string]: string } = {};
let down = false;
const slowTool = { held: true }; // it goes on when it is let go
const model = modelOf((step) => {
  if (step.startsWith('2') && down) throw new ModelError('ModelBadRequest', 'not there', { retryable: true });
  return replies[step] ?? (Number(step) < 4 ? act('echo', step) : answer(`at ${step}`));
});
const echo = defineTool({ name: 'echo', description: 'e', effects: 'none', run: (input) => `echo ${input}` });
const guarded = defineTool({
  name: 'guarded',
  description: 'is asked about',
  approval: 'always',
  run: (input) => `allowed ${input}`,
});
const slow = defineTool({
  name: 'slow',
  description: 'takes as long as the test wants',
  effects: 'none',
  async run(input, { signal }) {
    while (slowTool.held) await sleep(20, undefined, { signal });
    return `slow ${input}`;
  },
});
const parts = { model, tools: [echo, guarded, slow], modelRetry: { maxAttempts: 1 } };

const rig = useRig({
  agents: [
    { name: 'a', ...parts },
    { name: 'short', ...parts, maxIterations: 2, onLimit: 'ask' },
    { name: 'asking', ...parts, onModelFailure: 'ask' },
  ],
});
beforeEach(() => {
  [replies, down] = [{}, false];
  slowTool.held = true;
  model.requests.length = 0;
});

const atLimit = (run: AgentRun, figure: string) =>
  eventOf(
    run.events({ live: false }),
    'waiting',
    ({ wait }) => wait.error?.message.includes(figure) === true,
  );
const approvalOf = async (run: AgentRun, call: string) => {
  await expect.poll(async () => (await run.describe()).waiting).toMatchObject([{ call, reason: 'approval' }]);
};
const begun = (run: AgentRun, tool: string) =>
  eventOf(run.events({ live: false }), 'tool_started', (event) => event.tool === tool);
const lastPrompt = () => promptOf(model.requests.at(-1)?.request);

async function cancelled(run: AgentRun): Promise<void> {
  await run.cancel();
  await expect(run.result()).rejects.toThrow(/cancelled/u);
}

describe('the raise of a limit', () => {
  test('holds in a run that is taken back to a step after it, and not in one that is taken back before', async () => {
    const run = await rig.client.start('short', 'what?');
    await atLimit(run, '2 iterations');
    await run.extend({ iterations: 1 });
    await atLimit(run, '3 iterations');
    await run.rewind({ step: 3 });
    await eventOf(run.events({ live: false }), 'restarted');
    await expect
      .poll(() => run.describe())
      .toMatchObject({
        status: 'waiting',
        iterations: 3,
        waiting: [{ call: '4' }],
      });
    await run.rewind({ step: 2 });
    await expect.poll(async () => (await run.describe()).waiting).toMatchObject([{ call: '3' }]);
    expect((await run.describe()).waiting[0]?.error?.message).toContain('2 iterations');
    await run.extend({ iterations: 5 });
    expect(await run.result()).toMatchObject({ output: 'at 4', iterations: 4 });
  });

  test('holds in a run that is retried, whenever it was said', async () => {
    replies['2'] = act('slow', 'x');
    const run = await rig.client.start('short', 'what?');
    await begun(run, 'slow');
    await run.extend({ iterations: 1 });
    await cancelled(run);
    expect(await run.retry()).toMatchObject({ step: 2, calls: ['2.1'] });
    slowTool.held = false;
    await atLimit(run, '3 iterations');
    await run.decide('4', { type: 'resolve', output: 'enough' });
    expect(await run.result()).toMatchObject({ output: 'enough', iterations: 3 });
  });

  test('is no part of the limit that a fork is given', async () => {
    const run = await rig.client.start('short', 'what?');
    await atLimit(run, '2 iterations');
    await run.extend({ iterations: 1 });
    await atLimit(run, '3 iterations');
    const { id } = await run.fork({ step: 3, maxIterations: 3 });
    await atLimit(rig.client.get(id), '3 iterations');
    await rig.client.get(id).decide('4', { type: 'abort' });
    await expect(rig.client.get(id).result()).rejects.toThrow(/Aborted/u);
    await run.cancel();
  });
});

describe('a message', () => {
  test('while a call went on stands behind its observation when that call is made again', async () => {
    replies['2'] = act('slow', 'x');
    const run = await rig.client.start('a', 'what?');
    await begun(run, 'slow');
    await run.say('Be brief.');
    await cancelled(run);
    await run.retry();
    slowTool.held = false;
    await run.result();
    expect(lastPrompt()).toContain('Observation: slow x\nMessage from the user: Be brief.\nThought:');
    expect(lastPrompt().split('Be brief.')).toHaveLength(2);
  });

  test('since the model call that failed is seen when the model is asked again, with what that one carried', async () => {
    down = true;
    const run = await rig.client.start('asking', 'what?');
    await waitOf(run);
    await run.say('Be brief.');
    await run.decide('2', { type: 'retry' });
    await waitOf(run, { n: 1 });
    await run.say('In English.');
    await cancelled(run);
    down = false;
    expect(await run.retry()).toMatchObject({ step: 2, calls: [] });
    await run.result();
    expect(lastPrompt()).toContain(
      'echo 1\nMessage from the user: Be brief.\nMessage from the user: In English.\n',
    );
    expect(lastPrompt().split('In English.')).toHaveLength(2);
  });

  test('after the step is dropped by a rewind, and what was said before it is kept', async () => {
    replies = { '1': act('slow', 'x'), '2': act('guarded', 'y') };
    const run = await rig.client.start('a', 'what?');
    await begun(run, 'slow');
    await run.say('Be brief.');
    slowTool.held = false;
    await waitOf(run);
    await run.say('In English.');
    replies = {};
    await run.rewind({ step: 2 });
    await run.result();
    expect(lastPrompt()).toContain('Observation: slow x\nMessage from the user: Be brief.\n');
    expect(lastPrompt()).not.toContain('In English.');
  });

  test('before the step is kept by a rewind though no model call has carried it', async () => {
    const run = await rig.client.start('a', 'what?');
    await run.result();
    const sent: Promise<void>[] = [];
    await rig.restart(async () => {
      await run.rewind({ step: 2 });
      // Nobody is there to take them: they arrive before anything is done.
      sent.push(run.pause());
      sent.push(run.say('Be brief.'));
    });
    await Promise.all(sent);
    expect(await run.describe()).toMatchObject({ status: 'paused' });
    await run.rewind({ step: 2 });
    await run.result();
    expect(lastPrompt()).toContain('Observation: echo 1\nMessage from the user: Be brief.\n');
  });

  test('while a model call waited goes along where a fork changes what came before', async () => {
    down = true;
    const run = await rig.client.start('asking', 'what?');
    await waitOf(run);
    await run.say('Be brief.');
    down = false;
    await run.decide('2', { type: 'retry' });
    await run.result();
    const { id } = await run.fork({ step: 4, edits: { '1.1': 'another' }, say: 'And kind.' });
    await rig.client.get(id).result();
    expect(lastPrompt()).toContain('Observation: another\nMessage from the user: Be brief.\n');
    expect(lastPrompt()).toContain('Observation: echo 3\nMessage from the user: And kind.\n');
  });
});

describe('a run that is paused', () => {
  test('goes on where it is taken back', async () => {
    replies['2'] = act('slow', 'x');
    const run = await rig.client.start('a', 'what?');
    await begun(run, 'slow');
    await run.pause();
    replies = {};
    await run.rewind({ step: 2 });
    expect(await run.result()).toMatchObject({ output: 'at 4' });
    expect((await run.describe()).status).toBe('completed');
  });

  test('continues where it was ended and is retried', async () => {
    replies['2'] = act('slow', 'x');
    const run = await rig.client.start('a', 'what?');
    await begun(run, 'slow');
    await run.pause();
    await cancelled(run);
    await run.retry();
    slowTool.held = false;
    expect(await run.result()).toMatchObject({ output: 'at 4' });
  });
});

describe('a run that waits for an approval', () => {
  test('asks again where it is taken back, or retried', async () => {
    replies['2'] = act('guarded', 'x');
    const run = await rig.client.start('a', 'what?');
    await waitOf(run);
    await run.rewind({ step: 2 });
    await eventOf(run.events({ live: false }), 'restarted');
    await approvalOf(run, '2.1');
    await cancelled(run);
    expect(await run.retry()).toMatchObject({ calls: ['2.1'] });
    await approvalOf(run, '2.1');
    await run.decide('2.1', { type: 'approve' });
    const { intermediateSteps } = await run.result();
    expect(intermediateSteps[1]).toMatchObject({ observation: 'allowed x' });
  });

  test('is not asked again after what was remembered before the step, but before what was after it', async () => {
    replies = { '1': act('guarded', 'x'), '2': act('guarded', 'y') };
    const run = await rig.client.start('a', 'what?');
    await waitOf(run);
    await run.decide('1.1', { type: 'approve', remember: 'tool' });
    await run.result();
    await run.rewind({ step: 2 });
    expect(await run.result()).toMatchObject({ output: 'at 4' });
    await run.rewind({ step: 1 });
    await approvalOf(run, '1.1');
  });
});
