import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { AgentRun } from '../../client/api/agent-run.ts';
import type { Heartbeat } from '../../agent/calls/heartbeat-record.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { eventOf, useRig, waitOf } from '../support/rig.ts';
import { act, answer, modelOf, promptOf } from '../support/scripts.ts';

/** Longer than it takes until the SDK's worker has sent a heartbeat of the attempt. */
const LONG_MS = 7000;
/** Parts of a call that is stored part by part; one takes a second. */
const PARTS = 8;

/** Events in the attempts of each tool and model, in order. */
const told = new Map<string, unknown[]>();
function tell(of: string, what: unknown) {
  told.set(of, [...(told.get(of) ?? []), what]);
}

const failsLate = defineTool({
  name: 'failsLate',
  description: 'fails after a while',
  retry: { maxAttempts: 2, initialInterval: 100 },
  onFailure: 'observe',
  async run(input, ctx) {
    tell('failsLate', await ctx.complete('Anything?'));
    await sleep(LONG_MS);
    throw new Error(`failed: ${input}`);
  },
});
const hangs = defineTool({
  name: 'hangs',
  description: 'takes too long',
  timeout: LONG_MS,
  retry: { maxAttempts: 2, initialInterval: 100 },
  onFailure: 'observe',
  async run(_input, { signal }) {
    tell('hangs', 'begun');
    await sleep(600_000, undefined, { signal });
  },
});
const copies = defineTool({
  name: 'copies',
  description: 'copies part by part',
  retry: { maxAttempts: 2, initialInterval: 100 },
  onFailure: 'observe',
  async run(input, ctx) {
    const from = Number(ctx.lastCheckpoint ?? 0);
    tell(`copies ${input}`, `from ${from}`);
    for (let part = from + 1; part <= PARTS; part++) {
      await sleep(1000);
      await ctx.checkpoint(part);
    }
    ctx.progress('stored');
    if (ctx.attempt > 1) return 'copied';
    if (input === 'fails') throw new Error('the line went dead');
    return sleep(600_000, 'copied', { signal: ctx.signal });
  },
});
const orders = defineTool({
  name: 'orders',
  description: 'is answered from outside',
  retry: { maxAttempts: 2, initialInterval: 100 },
  async run(_input, ctx) {
    await sleep(LONG_MS);
    tell('orders', (await ctx.defer()).token);
    if (ctx.attempt === 1) throw new Error('ordered, then the line went dead');
    return 'ordered';
  },
});

const rig = useRig({
  agents: [
    {
      name: 'a',
      tools: [failsLate, hangs, copies, orders],
      model: modelOf((step, request) => {
        if (step.includes('.')) return 'something';
        const [, tool = '', input = ''] =
          /Question: (\w+) (\w+)\n(?![^]*Question:)/u.exec(promptOf(request)) ?? [];
        return step === '1' ? act(tool, input) : answer('ok');
      }),
    },
    {
      name: 'outage',
      modelRetry: { maxAttempts: 2 },
      onModelFailure: 'fail',
      model: modelOf(async () => {
        tell('outage', 'asked');
        await sleep(LONG_MS);
        throw Object.assign(new Error('down'), { name: 'ModelError', type: 'ModelServerError' });
      }),
    },
  ],
});

const start = (question: string) => rig.client.start('a', question);
const stored = (run: AgentRun) => eventOf(run.events(), 'tool_progress', ({ text }) => text === 'stored');

/** The record that the server has of the call that is under way. */
async function recordOf(run: AgentRun): Promise<Heartbeat> {
  const { raw } = await rig.temporal.workflow.getHandle(run.id).describe();
  const [payload] = raw.pendingActivities?.[0]?.heartbeatDetails?.payloads ?? [];
  return JSON.parse(Buffer.from(payload?.data ?? []).toString()) as Heartbeat; // our own record
}

test.concurrent('a tool that fails late has its attempts, and the usage of each counts', async () => {
  const { usage, intermediateSteps } = await (await start('failsLate x')).result();
  expect(told.get('failsLate')).toHaveLength(2);
  const observation = expect.stringContaining('failed: x') as string;
  expect(intermediateSteps).toMatchObject([{ observation, attempts: 2 }]);
  expect(usage.modelCalls).toBe(4);
});

test.concurrent('a tool that takes too long has its attempts', async () => {
  const { intermediateSteps } = await (await start('hangs x')).result();
  expect(told.get('hangs')).toHaveLength(2);
  const observation = expect.stringContaining('took longer than its time-out') as string;
  expect(intermediateSteps).toMatchObject([{ observation }]);
});

test.concurrent('a tool that fails late goes on from the checkpoint that it stored last', async () => {
  const { intermediateSteps } = await (await start('copies fails')).result();
  expect(intermediateSteps).toMatchObject([{ observation: 'copied', attempts: 2 }]);
  expect(told.get('copies fails')).toEqual(['from 0', `from ${PARTS}`]);
});

test.concurrent('a call that fails late after it has deferred its result keeps its token', async () => {
  const run = await start('orders x');
  await waitOf(run, { reason: 'deferred' });
  const [first, second] = told.get('orders') ?? [];
  expect(second).toBe(first);
  await rig.client.resolve(String(first), 'the answer');
  const { intermediateSteps } = await run.result();
  expect(intermediateSteps).toMatchObject([{ observation: 'the answer' }]);
});

test.concurrent('a model that fails late has its attempts', async () => {
  await expect(rig.client.run('outage', 'x')).rejects.toMatchObject({ type: 'ModelServerError' });
  expect(told.get('outage')).toHaveLength(2);
});

test.concurrent(
  'a call that is paused late goes on from the checkpoint that it stored last, and its attempt counts as ended',
  async ({ expect }) => {
    const run = await start('copies paused');
    await stored(run);
    const of = { namespace: 'default', execution: { workflowId: run.id }, id: '1.1' };
    const { workflowService } = rig.temporal;
    await workflowService.pauseActivity(of);
    await expect
      .poll(() => recordOf(run), { timeout: 30_000 })
      .toMatchObject({ endedAt: 1, checkpoint: PARTS });
    await workflowService.unpauseActivity(of);
    const { intermediateSteps } = await run.result();
    expect(intermediateSteps).toMatchObject([{ observation: 'copied' }]);
    expect(told.get('copies paused')).toEqual(['from 0', `from ${PARTS}`]);
  },
);

test('a call whose worker ends in a deploy goes on from the checkpoint that it stored last, and its attempt counts as ended', async () => {
  const run = await start('copies deployed');
  await stored(run);
  await rig.restart(async () => {
    expect(await recordOf(run)).toMatchObject({ endedAt: 1, checkpoint: PARTS });
  });
  const { intermediateSteps } = await run.result();
  expect(intermediateSteps).toMatchObject([{ observation: 'copied', attempts: 2 }]);
  expect(told.get('copies deployed')).toEqual(['from 0', `from ${PARTS}`]);
});
