import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import type { RunEvent } from '../../agent/run/events.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { type Reconciled, type ToolContext, ToolError, defineTool } from '../../tools/tool.ts';
import { expectToldAsRecorded, observationOf } from '../support/told-events.ts';
import { eventOf, useRig } from '../support/rig.ts';
import { act, answer, modelOf } from '../support/scripts.ts';

/** Effects, by the run's id, and how often each tool was asked what became of one. */
const effects = new Map<string, string[]>();
const asked = new Map<string, number>();
const effect = (input: string, { runId }: ToolContext) =>
  void effects.set(runId, [...(effects.get(runId) ?? []), input]);

/** When all tests are. */
const over = new AbortController();

/** What a tool does for an input. */
const behaviours: { [input: string]: (input: string, ctx: ToolContext) => Promise<unknown> } = {
  async works(input, ctx) {
    await ctx.commit();
    effect(input, ctx);
    return 'paid';
  },
  async throws(input, ctx) {
    effect(input, ctx);
    throw new Error('the line went dead');
  },
  async refuses() {
    throw new ToolError('no such account');
  },
  async unsendable(input, ctx) {
    effect(input, ctx);
    const circle: { self?: unknown } = {};
    circle.self = circle;
    return circle;
  },
  /** Hears nothing, and has its effect whatever it is told. */
  async silent(input, ctx) {
    ctx.progress('at it');
    effect(input, ctx);
    await aborted(over.signal);
  },
  /** Hears of a cancellation before its effect. */
  async careful(input, ctx) {
    ctx.progress('at it');
    await aborted(ctx.signal);
    await ctx.commit();
    effect(input, ctx);
  },
  /** Its effect is done when it hears of a cancellation, and it says so. */
  async quick(input, ctx) {
    ctx.progress('at it');
    effect(input, ctx);
    await aborted(ctx.signal);
    return 'paid just in time';
  },
  async giving(input, ctx) {
    ctx.progress('at it');
    effect(input, ctx);
    await aborted(ctx.signal);
    throw new Error('aborted');
  },
};

const run = (input: string, ctx: ToolContext) => {
  const behaviour = behaviours[input];
  if (behaviour === undefined) throw new Error(`no behaviour ${input}`);
  return behaviour(input, ctx);
};
const once = { description: 'pays', effects: 'once' as const, retry: { maxAttempts: 1 }, run };
const says = (said: Reconciled | (() => never)) => ({
  reconcile: (_input: string, { runId }: ToolContext) => {
    asked.set(runId, (asked.get(runId) ?? 0) + 1);
    return typeof said === 'function' ? said() : said;
  },
});
const tools = [
  defineTool({ ...once, name: 'pay' }),
  defineTool({ ...once, name: 'strict', onFailure: 'fail' }),
  defineTool({ ...once, name: 'lax', onFailure: 'observe' }),
  defineTool({ ...once, name: 'done', ...says({ status: 'done', output: 'was paid' }) }),
  defineTool({ ...once, name: 'notDone', ...says({ status: 'notDone' }) }),
  defineTool({ ...once, name: 'unknown', ...says({ status: 'unknown' }) }),
  defineTool({
    ...once,
    name: 'unable',
    ...says(() => {
      throw new Error('cannot look');
    }),
  }),
];

const told = new Map<string, RunEvent[]>();
const agent = (name: string, more: object = {}) => ({
  name,
  model: modelOf((step, { prompt }) => {
    const [, tool = '', input = ''] = /what: ([a-zA-Z]+) ([a-zA-Z]+)/u.exec(JSON.stringify(prompt)) ?? [];
    return step === '1' ? act(tool, input) : answer('ok');
  }),
  tools,
  ...more,
});
const rig = useRig({
  agents: [agent('a'), agent('hasty', { maxExecutionTime: 1500 })],
  onEvent: (event, { id }) => void told.set(id, [...(told.get(id) ?? []), event]),
});
afterAll(() => {
  over.abort();
});

const start = (tool: string, input: string, name = 'a') => rig.client.start(name, `what: ${tool} ${input}`);
const waiting = async (started: AgentRun) => (await eventOf(started.events(), 'waiting')).wait;
const underWay = (started: AgentRun) => eventOf(started.events(), 'tool_progress');

/** As the tools know the run. */
function runOf({ id }: AgentRun): string {
  const [first] = told.get(id) ?? [];
  return first?.type === 'run_started' ? first.runId : '';
}

const effectsOf = (started: AgentRun) => effects.get(runOf(started));

const toldTheSame = (started: AgentRun) => expectToldAsRecorded(started, told);
const observation = (started: AgentRun) => observationOf(started, told);

describe('a call that may take effect once only', () => {
  test('is a step like any other where it works', async () => {
    const started = await start('pay', 'works');
    expect(await observation(started)).toBe('paid');
    expect(effectsOf(started)).toEqual(['works']);
  });

  test('tells the model what it says, and is in no doubt', async () => {
    expect(await observation(await start('pay', 'refuses'))).toBe('no such account');
  });

  test.each([
    ['throws', 'the line went dead'],
    ['unsendable', 'The value cannot be written as JSON: Converting circular structure to JSON'],
  ])('waits in doubt, and is not run again, where it %s', async (input, why) => {
    const started = await start('pay', input);
    expect(await waiting(started)).toMatchObject({
      reason: 'doubt',
      error: { type: 'InDoubt', message: `It is not known whether pay took effect: ${why}.` },
    });
    expect(effectsOf(started)).toEqual([input]);
    await started.decide('1.1', { type: 'resolve', output: 'it was paid' });
    expect(await observation(started)).toBe('it was paid');
  });

  test('is run again when a person says so', async () => {
    const started = await start('pay', 'throws');
    await waiting(started);
    await started.decide('1.1', { type: 'retry', input: 'works' });
    expect(await observation(started)).toBe('paid');
    expect(effectsOf(started)).toEqual(['throws', 'works']);
  });

  test('asks a person even where a failure would be told to the model, and fails the run where it says so', async () => {
    const lax = await start('lax', 'throws');
    expect(await waiting(lax)).toMatchObject({ reason: 'doubt' });
    await lax.decide('1.1', { type: 'skip' });
    await lax.result();
    const strict = await start('strict', 'throws');
    await expect(strict.result()).rejects.toMatchObject({ type: 'InDoubt' });
    await toldTheSame(strict);
  });
});

describe('a tool that can look whether it took effect', () => {
  test('gives the result where it did, and nothing is run again', async () => {
    const started = await start('done', 'throws');
    expect(await observation(started)).toBe('was paid');
    expect(effectsOf(started)).toEqual(['throws']);
    expect(asked.get(runOf(started))).toBe(1);
  });

  test('is run again five times where it never did, then a person is asked', async () => {
    const started = await start('notDone', 'throws');
    expect(await waiting(started)).toMatchObject({ reason: 'failed', error: { type: 'InDoubt' } });
    expect(effectsOf(started)).toHaveLength(5);
    expect(asked.get(runOf(started))).toBe(5);
    await started.decide('1.1', { type: 'skip' });
    await observation(started);
  });

  test.each(['unknown', 'unable'])('and is %s to tell: a person is asked', async (tool) => {
    const started = await start(tool, 'throws');
    expect(await waiting(started)).toMatchObject({ reason: 'doubt', error: { type: 'InDoubt' } });
    expect(effectsOf(started)).toEqual(['throws']);
    await started.decide('1.1', { type: 'resolve', output: 'looked it up' });
    expect(await observation(started)).toBe('looked it up');
  });

  test('is asked of a call that was cancelled too: what was not done stays cancelled', async () => {
    const started = await start('notDone', 'giving');
    await underWay(started);
    await started.decide('1.1', { type: 'cancelCall', reason: 'too expensive' });
    expect(await observation(started)).toBe('This tool call was cancelled before it ended: too expensive');
    expect(effectsOf(started)).toHaveLength(1);
    expect(asked.get(runOf(started))).toBe(1);
  });
});

describe('a call that may take effect once only and is cancelled', () => {
  test('before its effect is cancelled, and nothing is in doubt', async () => {
    const started = await start('pay', 'careful');
    await underWay(started);
    await started.decide('1.1', { type: 'cancelCall' });
    expect(await observation(started)).toBe(
      'This tool call was cancelled before it ended; there is no result.',
    );
    expect(effectsOf(started)).toBeUndefined();
  });

  test('behind its effect has its result, if the tool says it in time', async () => {
    const started = await start('pay', 'quick');
    await underWay(started);
    await started.decide('1.1', { type: 'cancelCall' });
    expect(await observation(started)).toBe('paid just in time');
  });

  test.each(['giving', 'silent'])('by a tool that is %s is in doubt', async (input) => {
    const started = await start('pay', input);
    await underWay(started);
    await started.decide('1.1', { type: 'cancelCall' });
    expect(await waiting(started)).toMatchObject({
      reason: 'doubt',
      error: { message: 'It is not known whether pay took effect: it was cancelled while it ran.' },
    });
    await started.decide('1.1', { type: 'skip' });
    await observation(started);
  });
});

test("when the run's time limit cuts it in doubt, the model is told so and nobody is asked", async () => {
  const started = await start('pay', 'giving', 'hasty');
  expect(await observation(started)).toBe(
    "This tool call was cut off at the run's time limit; it may or may not have taken effect, and there is no result.",
  );
});

test('cancelling the run ends it, in doubt or not', async () => {
  const started = await start('pay', 'giving');
  await underWay(started);
  await started.cancel();
  await expect(started.result()).rejects.toMatchObject({ name: 'AgentRunCancelled' });
  await toldTheSame(started);
});

function aborted(signal: AbortSignal): Promise<unknown> {
  return sleep(60_000, undefined, { signal }).catch(() => undefined);
}
