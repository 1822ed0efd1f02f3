import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { RunEvent } from '../../agent/run/events.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { type ToolContext, defineTool } from '../../tools/tool.ts';
import { createGate } from '../support/gate.ts';
import { observationOf } from '../support/told-events.ts';
import { eventOf, useRig } from '../support/rig.ts';
import { act, answer, modelOf } from '../support/scripts.ts';

/** Calls that may take effect once only, and what comes before they wait: a cancellation, the time limit, an answer, a pause. */

const gate = createGate();
let receipts: unknown[] = [];
const told = new Map<string, RunEvent[]>();
const otherThan = (token: string) => (token.startsWith('0') ? '1' : '0') + token.slice(1);
const aborted = (signal: AbortSignal) => sleep(60_000, undefined, { signal }).catch(() => undefined);

const behaviours: { [input: string]: (ctx: ToolContext) => Promise<string> } = {
  async gated(ctx) {
    ctx.progress('at it');
    await gate.pass();
    throw new Error('the line went dead');
  },
  /** Hands its work over when it hears of a cancellation. */
  async handing(ctx) {
    ctx.progress('at it');
    await ctx.defer();
    await aborted(ctx.signal);
    return 'handed over';
  },
  /** Its result comes while it runs, after a wrong one. */
  async early(ctx) {
    const { token } = await ctx.defer();
    const { client } = rig;
    receipts = [await client.resolve(otherThan(token), 'wrong'), await client.resolve(token, 'right')];
    return 'handed over';
  },
  earlier: async ({ earlierCalls }) => JSON.stringify(await earlierCalls()),
  /** It does not defer, and somebody answers. */
  async undeferred({ runId, callId }) {
    const id = [...told].find(([, [first]]) => first?.type === 'run_started' && first.runId === runId)?.[0];
    receipts = [await rig.client.resolve(`${'0'.repeat(32)}:${callId}:${id}`, 'wrong')];
    return 'paid';
  },
};
const pay = defineTool({
  name: 'pay',
  description: 'pays',
  effects: 'once',
  retry: { maxAttempts: 1 },
  run: (input, ctx) => behaviours[input]?.(ctx),
  reconcile: () => ({ status: 'done', output: 'was paid' }),
});

const model = modelOf((step, { prompt }) => {
  const [, input = '', then] = /what: ([a-z]+)(?:, then ([a-z]+))?/u.exec(JSON.stringify(prompt)) ?? [];
  if (step === '2' && then !== undefined) return act('pay', then);
  return step === '1' ? act('pay', input) : answer('ok');
});
const rig = useRig({
  agents: [
    { name: 'a', model, tools: [pay] },
    { name: 'hasty', model, tools: [pay], maxExecutionTime: 1500 },
  ],
  onEvent: (event, { id }) => void told.set(id, [...(told.get(id) ?? []), event]),
});

const start = (input: string, agent = 'a') => rig.client.start(agent, `what: ${input}`);
const underWay = (started: AgentRun) => eventOf(started.events(), 'tool_progress');

const observation = (started: AgentRun) => observationOf(started, told);

test('a call that was cancelled does not wait, though its tool leaves the result to somebody else', async () => {
  const started = await start('handing');
  await underWay(started);
  await started.decide('1.1', { type: 'cancelCall', reason: 'too late' });
  expect(await observation(started)).toBe('This tool call was cancelled before it ended: too late');
});

test("a call that the run's time limit cut does not wait either", async () => {
  const started = await start('handing', 'hasty');
  expect(await observation(started)).toMatch(/^This tool call was cut off at the run's time limit/u);
});

test.each([
  ['early', 'right', 2],
  ['undeferred', 'paid', 1],
])('an answer that comes while %s runs is kept, and used with the right token', async (input, output, n) => {
  const started = await start(input);
  expect(await observation(started)).toBe(output);
  const kept = { call: '1.1', n: 0, decision: 'resolve', kept: true };
  expect(receipts).toEqual(Array.from({ length: n }, () => kept));
  expect((await started.describe()).waiting).toEqual([]);
});

test('an answer that came before its call deferred is what later calls of the tool are told', async () => {
  const { intermediateSteps } = await (await start('early, then earlier')).result();
  const earlier = intermediateSteps.map(({ observation }) => observation)[1];
  expect(earlier).toBe(JSON.stringify([{ call: '1.1', toolInput: 'early', output: 'right' }]));
});

test('a tool is not asked what became of a call while the run is paused', async () => {
  const started = await start('gated');
  await underWay(started);
  await started.pause();
  await gate.open();
  await eventOf(started, 'tool_failed');
  await started.say('more'); // a workflow task after the failure
  expect(await schedulesOf(started)).toBe(1);
  await started.resume();
  expect(await observation(started)).toBe('was paid');
  expect(await schedulesOf(started)).toBe(2);
});

async function schedulesOf({ id }: AgentRun): Promise<number> {
  const { events } = await rig.temporal.workflow.getHandle(id).fetchHistory();
  const scheduled = (events ?? []).map((event) => event.activityTaskScheduledEventAttributes);
  return scheduled.filter((one) => one?.activityType?.name === pay.name).length;
}
