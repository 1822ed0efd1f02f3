import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RunEvent } from '../../agent/run/events.ts';
import { asText } from '../../agent/values/vocabulary.ts';
import { DecisionRefused, InvalidInput } from '../../client/connect/errors.ts';
import { agentTool } from '../../tools/agent-tool.ts';
import { defineTool } from '../../tools/tool.ts';
import { type Rig, eventOf, startRig } from '../support/rig.ts';
import { act, answer, modelOf, promptOf } from '../support/scripts.ts';
import { allOf } from '../support/all-of.ts';

/** What the model says from now on, by step; the rest of a run's steps is `count`. */
let replies: { [step: string]: string } = {};
let STEPS = 4;
const model = modelOf(
  (step) => replies[step] ?? (Number(step) < STEPS ? act('count', step) : answer(`at ${step}`)),
);
let counted: string[] = [];
let keys: string[] = [];
const long = 'y'.repeat(2000);
const count = defineTool({
  name: 'count',
  description: 'counts',
  async run(input, { idempotencyKey, earlierCalls }) {
    counted.push(input);
    keys.push(idempotencyKey);
    return `${input} after ${(await earlierCalls()).map(({ call }) => call).join(' ') || 'none'} ${long}`;
  },
});
const stuck = defineTool({
  name: 'stuck',
  description: 'fails',
  retry: { maxAttempts: 1 },
  run: () => {
    throw new Error('out of order');
  },
});
/** Called when the slow tool runs. */
let onSlow: () => void = () => undefined;
const slow = defineTool({
  name: 'slow',
  description: 'takes long to be cancelled',
  async run(_input, { signal }) {
    onSlow();
    await sleep(600_000, undefined, { signal }).catch(() => undefined);
    await sleep(1_500);
    return 'too late';
  },
});
const below = agentTool({ agent: 'below', description: 'a sub-agent' });

let rig: Rig;
beforeAll(async () => {
  rig = await startRig({
    agents: [
      { name: 'a', model, tools: [count, stuck, below] },
      {
        name: 'below',
        model: modelOf((step) => replies[`below ${step}`] ?? act('slow', step)),
        tools: [slow],
      },
    ],
  });
}, 60_000);
afterAll(() => rig.stop());
beforeEach(() => {
  replies = {};
  STEPS = 4;
  counted = [];
  keys = [];
  model.requests.length = 0;
});

const recorded = (run: { events(options: object): AsyncIterable<RunEvent> }): Promise<RunEvent[]> =>
  allOf(run.events({ live: false, follow: false }));

const callsOf = (steps: readonly { call: string }[]) => steps.map(({ call }) => call);

describe('a run that is taken back', () => {
  test('keeps the steps before, and the model is asked from there on as it was', async () => {
    const run = await rig.client.start('a', 'what?');
    const before = await run.result();
    const [, , third] = model.requests.map(({ request }) => promptOf(request));
    model.requests.length = 0;
    replies['3'] = answer('other');
    const receipt = await run.rewind({ step: 3 });
    expect(receipt).toEqual({ id: run.id, runId: expect.any(String), step: 3 });
    const after = await run.result();
    expect(after).toMatchObject({ output: 'other', iterations: 3 });
    expect(after.intermediateSteps).toEqual(before.intermediateSteps.slice(0, 2));
    expect(after.usage.modelCalls).toBe(3);
    expect(counted).toEqual(['1', '2', '3']);
    expect(model.requests.map(({ request }) => promptOf(request))).toEqual([third]);
    const report = await run.describe();
    expect(report).toMatchObject({ runId: receipt.runId, status: 'completed', input: 'what?', agent: 'a' });
    expect((await allOf(run.requests())).map(({ call }) => call)).toEqual(['1', '2', '3']);
  });

  test('is read once, however often it was taken back, also by a worker that knows nothing of it', async () => {
    const run = await rig.client.start('a', 'what?');
    await run.result();
    await run.rewind({ step: 3 });
    await run.result();
    await run.rewind({ step: 2 });
    await run.result();
    await rig.restart();
    STEPS = 5;
    await run.rewind({ step: 4 });
    const { intermediateSteps, output } = await run.result();
    expect(output).toBe('at 5');
    expect(callsOf(intermediateSteps)).toEqual(['1.1', '2.1', '3.1', '4.1']);
    expect(
      intermediateSteps.map(({ observation }) => asText(observation).slice(0, -long.length).trim()),
    ).toEqual(['1 after none', '2 after 1.1', '3 after 1.1 2.1', '4 after 1.1 2.1 3.1']);
    const events = await recorded(run);
    expect(events.filter(({ type }) => type === 'run_started')).toHaveLength(1);
    expect(events.flatMap((event) => (event.type === 'restarted' ? [event.step] : []))).toEqual([2, 4]);
    expect(new Set(keys).size).toBe(4);
  });

  test('is followed by who waited for it, and by who watched it', async () => {
    replies['2'] = act('stuck', 'x');
    const run = await rig.client.start('a', 'what?');
    const result = run.result();
    const watching = allOf(run.events({ live: false }));
    await eventOf(run.events({ live: false }), 'waiting');
    replies = {};
    await run.rewind({ step: 2 });
    expect(await result).toMatchObject({ output: 'at 4', iterations: 4 });
    expect(callsOf((await result).intermediateSteps)).toEqual(['1.1', '2.1', '3.1']);
    expect((await watching).filter(({ type }) => type === 'run_ended')).toHaveLength(1);
    expect(await run.describe()).toMatchObject({ status: 'completed', waiting: [] });
  });

  test('can begin at its first step', async () => {
    const run = await rig.client.start('a', 'what?');
    await run.result();
    replies['1'] = answer('at once');
    await run.rewind({ step: 1 });
    expect(await run.result()).toMatchObject({ output: 'at once', iterations: 1, intermediateSteps: [] });
  });

  test('waits until the sub-agents that it had have ended', async () => {
    replies['2'] = act('below', 'x');
    const begun = new Promise<void>((resolve) => (onSlow = resolve));
    const run = await rig.client.start('a', 'what?');
    await begun;
    replies['below 1'] = answer('quick');
    await run.rewind({ step: 2 });
    const { intermediateSteps } = await run.result();
    expect(intermediateSteps[1]).toMatchObject({ call: '2.1', observation: 'quick' });
  });

  test('stays the same run, whoever asks for it by its run id', async () => {
    replies['2'] = act('stuck', 'x');
    const run = await rig.client.start('a', 'what?');
    await eventOf(run.events({ live: false }), 'waiting');
    const { runId } = await run.describe();
    replies = {};
    expect(await run.rewind({ step: 2 })).toMatchObject({ runId });
    expect((await rig.client.get(run.id, runId).result()).output).toBe('at 4');
    expect(await rig.client.get(run.id, runId).describe()).toMatchObject({
      status: 'completed',
      error: null,
    });
  });

  test('is taken back by the first of two who ask at a time, and the other one is told', async () => {
    const run = await rig.client.start('a', 'what?');
    await run.result();
    const asked = await Promise.allSettled([run.rewind({ step: 2 }), run.rewind({ step: 3 })]);
    const refused = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    expect(refused).toEqual([expect.any(DecisionRefused)]);
    expect((await run.result()).output).toBe('at 4');
  });
});

test.each([
  [7, /no step 7\. Its steps: 1, 2, 3, 4\./u],
  [0, /no step 0/u],
  [1.5, /whole number/u],
])('a step %s that the run does not have is refused, and nothing is begun', async (step, why) => {
  const run = await rig.client.start('a', 'what?');
  await run.result();
  const { runId } = await run.describe();
  await expect(run.rewind({ step })).rejects.toThrow(why);
  await expect(run.rewind({ step })).rejects.toThrow(InvalidInput);
  expect((await run.describe()).runId).toBe(runId);
});

test('a run that was taken back is listed once, as it goes on', async () => {
  const run = await rig.client.start('a', 'listed?');
  await run.result();
  const { runId } = await run.rewind({ step: 4 });
  await run.result();
  const listed = () => allOf(rig.client.list({ text: 'listed?' }));
  await expect.poll(listed).toMatchObject([{ id: run.id, runId, status: 'completed', agent: 'a' }]);
});

test('a session is refused, and a workflow of no agent', async () => {
  const other = await rig.temporal.workflow.start('somethingElse', {
    workflowId: `other-${randomUUID()}`,
    taskQueue: 'nobody',
  });
  await expect(rig.client.get(other.workflowId).rewind({ step: 1 })).rejects.toThrow(
    /not a run of an agent/u,
  );
  await other.terminate();
  const session = await rig.temporal.workflow.start('agentSession', {
    workflowId: `session:${randomUUID()}`,
    taskQueue: 'nobody',
    args: [{}],
  });
  await expect(rig.client.get(session.workflowId).fork({ step: 1 })).rejects.toThrow(
    /is a session, not a run/u,
  );
  await session.terminate();
});

test('a run that is not there is refused', async () => {
  await expect(rig.client.get(`none-${randomUUID()}`).rewind({ step: 1 })).rejects.toThrow(
    /There is no run/u,
  );
});
