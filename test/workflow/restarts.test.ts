import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { DecisionRefused } from '../../client/connect/errors.ts';
import { readStart } from '../../history/read/facts.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { AGENT_RUN } from '../../workflows/messages.ts';
import { allOf } from '../support/all-of.ts';
import { eventOf, useRig } from '../support/rig.ts';
import { brokenTool } from '../support/sample-tools.ts';
import { act, answer, modelOf, promptOf, toolCall } from '../support/scripts.ts';

/**
 * Runs that are over and do steps again. What they go on with is in test/unit/client/restart/restart-inputs.test.ts, paths on which people have
 * a say are in test/support/restarted-paths.ts, and runs that rewind themselves in rewound-paths.ts.
 */
let replies: { [step: string]: string } = {};
const model = modelOf(
  (step) => replies[step] ?? (Number(step) < 4 ? act('count', step) : answer(`at ${step}`)),
);
const other = modelOf((step) => (Number(step) < 4 ? act('count', step) : answer(`at ${step}`)));
let keys: string[] = [];
const long = 'y'.repeat(2000);
const count = defineTool({
  name: 'count',
  description: 'counts',
  async run(input, { idempotencyKey, earlierCalls }) {
    keys.push(idempotencyKey);
    return `${input} after ${(await earlierCalls()).map(({ call }) => call).join(' ')} ${long}`;
  },
});
let isBroken = true;
const fails = defineTool({
  name: 'fails',
  description: 'fails the run once the other call is over',
  retry: { maxAttempts: 1 },
  onFailure: 'fail',
  async run() {
    while (keys.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    if (isBroken) throw new Error('out of order');
    return 'fine';
  },
});
const both = modelOf((step) =>
  step === '1' ? { text: 'both', toolCalls: [toolCall('count', '1'), toolCall('fails')] } : 'done',
);
const json = (action: string, input: string) =>
  `\`\`\`json\n${JSON.stringify({ action, action_input: input })}\n\`\`\``;

const tools = [count, fails, brokenTool()];
const rig = useRig({
  models: { other },
  agents: [
    { name: 'a', model, tools },
    { name: 'both', kind: 'tool-calling', model: both, tools },
    { name: 'friend', kind: 'conversational', model, tools },
  ],
});
beforeEach(() => {
  [replies, keys, isBroken] = [{}, [], true];
  for (const { requests } of [model, other]) requests.length = 0;
});

const promptsOf = ({ requests }: typeof model) => requests.map(({ request }) => promptOf(request));

describe('a run that is rewound', () => {
  test('keeps the steps before, also on a worker that knows nothing of it, and is read as one', async () => {
    const run = await rig.client.start('a', 'what?');
    const before = await run.result();
    const [, , third, fourth] = promptsOf(model);
    await rig.restart();
    for (const [step, asked] of [
      [3, [third, fourth]],
      [4, [fourth]],
    ] as const) {
      model.requests.length = 0;
      const receipt = await run.rewind({ step });
      expect(receipt).toEqual({ id: run.id, runId: expect.any(String), step });
      const { output, intermediateSteps, usage } = await run.result();
      expect({ output, calls: usage.modelCalls }).toEqual({ output: 'at 4', calls: 4 });
      const observed = (steps: typeof intermediateSteps) =>
        steps.map(({ call, observation }) => [call, observation]);
      expect(observed(intermediateSteps)).toEqual(observed(before.intermediateSteps));
      expect(promptsOf(model)).toEqual(asked);
      expect((await run.describe()).runId).toBe(receipt.runId);
    }
    // One call was dropped and made again, under the key that it had.
    expect([keys.length, new Set(keys).size]).toEqual([4, 3]);
    expect((await allOf(run.requests())).map(({ call }) => call)).toEqual(['1', '2', '3', '4']);
    const events = await allOf(run.events({ live: false, follow: false }));
    expect(events.filter(({ type }) => type === 'run_started')).toHaveLength(1);
  });

  test('keeps what was said before the step though no model call has carried it', async () => {
    const run = await rig.client.start('a', 'what?');
    await run.result();
    const sent: Promise<void>[] = [];
    await rig.restart(async () => {
      await run.rewind({ step: 2 });
      // Nobody is there to take them: they arrive before anything is done.
      sent.push(run.pause(), run.say('Be brief.'));
    });
    await Promise.all(sent);
    expect(await run.describe()).toMatchObject({ status: 'paused' });
    await run.rewind({ step: 2 });
    await run.result();
    expect(promptsOf(model).at(-1)).toContain(`${long}\nMessage from the user: Be brief.\n`);
  });

  test('is rewound by the first of two who ask at once, and the other one is refused', async () => {
    const run = await rig.client.start('a', 'what?');
    await run.result();
    const asked = await Promise.allSettled([run.rewind({ step: 2 }), run.rewind({ step: 3 })]);
    const refused = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    expect(refused).toEqual([expect.any(DecisionRefused)]);
    expect((await run.result()).output).toBe('at 4');
  });
});

test('a fork is a run with calls of its own, which asks another model for good where it is told to', async () => {
  const run = await rig.client.start('a', 'what?');
  await run.result();
  const { runId } = await run.describe();
  model.requests.length = 0;
  const { id } = await run.fork({ step: 3, model: 'other' });
  expect(id).toMatch(/^a-/u);
  const forked = rig.client.get(id);
  expect(await forked.result()).toMatchObject({ output: 'at 4', iterations: 4 });
  expect([model.requests.length, other.requests.map(({ step }) => step)]).toEqual([0, ['3', '4']]);
  expect([(await run.describe()).runId, new Set(keys).size]).toEqual([runId, 4]);
  await rig.restart();
  await forked.rewind({ step: 4 });
  await forked.result();
  expect(other.requests.map(({ step }) => step)).toEqual(['3', '4', '4']);
  const requests = await allOf(forked.requests());
  expect(requests.map(({ request }) => request.model)).toEqual(['a', 'a', 'other', 'other']);
  await expect(run.fork({ step: 2, id })).rejects.toThrow(/there is a run ".*" already/u);
});

describe('a fork with another model keeps that model', () => {
  const forkOf = async (meanwhile: (forked: ReturnType<typeof rig.client.get>) => Promise<void>) => {
    const run = await rig.client.start('a', 'what?');
    await run.result();
    let forked = run;
    await rig.restart(async () => {
      forked = rig.client.get((await run.fork({ step: 3, model: 'other' })).id);
      await meanwhile(forked);
    });
    return forked;
  };
  const modelsOf = async (forked: ReturnType<typeof rig.client.get>) =>
    (await allOf(forked.requests())).map(({ request }) => request.model);

  test.each([1, 3])('while it is open and rewinds itself to step %i', async (step) => {
    let paused: Promise<void> | undefined;
    const forked = await forkOf(async (open) => {
      paused = open.pause();
    });
    await paused;
    await forked.rewind({ step });
    await forked.result();
    expect(other.requests.map((request) => request.step)).toEqual(['1', '2', '3', '4'].slice(step - 1));
    expect(await modelsOf(forked)).toEqual(['a', 'a', ...other.requests.map(() => 'other')]);
  });

  test('once it has ended and is rewound to a step that it has kept', async () => {
    const forked = await forkOf(() => Promise.resolve());
    await forked.result();
    await forked.rewind({ step: 2 });
    await forked.result();
    expect(await modelsOf(forked)).toEqual(['a', 'other', 'other', 'other']);
  });

  test('if it ended before its model was known, and is retried or forked', async () => {
    const forked = await forkOf(({ id }) => rig.temporal.workflow.getHandle(id).terminate('a test').then());
    const again = rig.client.get((await forked.fork({ step: 2 })).id);
    await forked.retry();
    for (const run of [forked, again]) await run.result();
    expect(await modelsOf(forked)).toEqual(['a', 'a', 'other', 'other']);
    expect(await modelsOf(again)).toEqual(['a', 'other', 'other', 'other']);
  });
});

describe('a run that is retried', () => {
  test('keeps the calls of its last turn that ended', async () => {
    const run = await rig.client.start('both', 'what?');
    await expect(run.result()).rejects.toThrow('out of order');
    const [first] = (await run.describe()).intermediateSteps;
    isBroken = false;
    await rig.restart();
    const { calls, runId } = await run.retry();
    expect(calls).toEqual(['1.2']);
    // The run before may be past its retention when the model is asked.
    const start = await readStart(rig.temporal, { workflowId: run.id, runId });
    expect(JSON.stringify(await start?.input())).toContain(long);
    const { output, intermediateSteps } = await run.result();
    expect(output).toBe('done');
    expect(intermediateSteps).toMatchObject([first, { call: '1.2', observation: 'fine', attempts: 2 }]);
    expect(keys).toHaveLength(1);
  });

  test('begins with its question, and what its parent gave it, where its agent was not known yet', async () => {
    const given = {
      question: { input: 'what?', chatHistory: [] },
      parentBudget: { totalTokens: 100 },
      insteadOf: 'another',
    };
    const handle = await rig.temporal.workflow.start(AGENT_RUN, {
      workflowId: `nobody-${randomUUID()}`,
      taskQueue: rig.taskQueue,
      args: [{ agent: 'nobody', ...given }],
    });
    const { workflowId } = handle;
    for (const _ of [1, 2]) {
      await rig.temporal.workflow.getHandle(workflowId).terminate('a test');
      const { runId, step, calls } = await rig.client.get(workflowId).retry();
      expect([step, calls]).toEqual([1, []]);
      const start = await readStart(rig.temporal, { workflowId, runId });
      expect(await start?.input()).toMatchObject({ agent: 'nobody', ...given });
    }
    await expect(rig.client.get(workflowId).retry()).rejects.toThrow(DecisionRefused);
    await rig.temporal.workflow.getHandle(workflowId).terminate('a test');
  });
});

describe('a conversation', () => {
  const ask = async (input: string, session: string) => {
    const run = await rig.client.start('friend', input, { session });
    if (replies['1']?.includes('broken') === true) await eventOf(run.events({ live: false }), 'waiting');
    else await run.result();
    return run;
  };
  const said = async (session: string) =>
    (await rig.client.session(session).describe()).messages.map(({ content }) => content);

  test('goes on with the answer of a run that was rewound, and without one that was terminated', async () => {
    replies = { '1': json('broken', 'x') };
    const lost = await ask('lost?', 'rewound');
    await rig.temporal.workflow.getHandle(lost.id).terminate('a test');
    const run = await ask('first?', 'rewound');
    replies = { '1': json('Final Answer', 'one') };
    await run.rewind({ step: 1 });
    await run.result();
    replies = { '1': json('Final Answer', 'two') };
    await ask('second?', 'rewound');
    await expect.poll(() => said('rewound')).toEqual(['first?', 'one', 'second?', 'two']);
    expect(promptsOf(model).at(-1)).toContain('one');
  });

  test('gets the answer of a run that had failed and is retried, once', async () => {
    replies = { '1': json('broken', 'x') };
    const run = await ask('first?', 'retried');
    await run.decide('1.1', { type: 'abort' });
    await expect(run.result()).rejects.toMatchObject({ type: 'Aborted' });
    replies = { '1': json('Final Answer', 'two') };
    await ask('second?', 'retried');
    replies = { '1': json('broken', 'x'), '2': json('Final Answer', 'one') };
    await run.retry();
    await expect.poll(async () => (await run.describe()).waiting).toHaveLength(1);
    await run.decide('1.1', { type: 'skip' });
    await run.result();
    await expect.poll(() => said('retried')).toEqual(['second?', 'two', 'first?', 'one']);
    await run.rewind({ step: 2 });
    await run.result();
    replies = { '1': json('Final Answer', 'three') };
    await ask('third?', 'retried');
    await expect.poll(() => said('retried')).toEqual(['second?', 'two', 'first?', 'one', 'third?', 'three']);
  });
});

test('what is no run of an agent is refused', async () => {
  const handle = await rig.temporal.workflow.start('somethingElse', {
    workflowId: `other-${randomUUID()}`,
    taskQueue: 'nobody',
  });
  await expect(rig.client.get(handle.workflowId).rewind({ step: 1 })).rejects.toThrow(
    'not a run of an agent',
  );
  await handle.terminate();
  await expect(rig.client.get(`none-${randomUUID()}`).rewind({ step: 1 })).rejects.toThrow('There is no run');
});
