import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { OperatorDecision, RunEvent } from '../../agent/run/events.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { type Reconciled, type ToolContext, defineTool } from '../../adapters/tools/tool.ts';
import { createGate } from '../support/gate.ts';
import { eventOf, useRig } from '../support/rig.ts';
import { act, answer, modelOf } from '../support/scripts.ts';
import { expectToldAsRecorded } from '../support/told-events.ts';

/**
 * Calls that may take effect once only. Each rule is a row of test/unit/agent/rules/doubt.test.ts or call-machine.test.ts; the usual ends are the paths
 * `once` and `reconciled` of told-and-recorded.test.ts.
 */

/** Effects, and questions to a tool what became of one, by the run's id. */
const effects = new Map<string, string[]>();
const asked = new Map<string, number>();
const effect = (input: string, { runId }: ToolContext) =>
  void effects.set(runId, [...(effects.get(runId) ?? []), input]);

const aborted = (signal: AbortSignal) => sleep(60_000, undefined, { signal }).catch(() => undefined);
const gate = createGate();
let receipts: unknown[] = [];
const otherThan = (token: string) => (token.startsWith('0') ? '1' : '0') + token.slice(1);

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
  async unsendable(input, ctx) {
    effect(input, ctx);
    const circle: { self?: unknown } = {};
    circle.self = circle;
    return circle;
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
  async gated(_input, ctx) {
    ctx.progress('at it');
    await gate.pass();
    throw new Error('the line went dead');
  },
  /** Hands its work over when it hears of a cancellation. */
  async handing(_input, ctx) {
    ctx.progress('at it');
    await ctx.defer();
    await aborted(ctx.signal);
    return 'handed over';
  },
  /** Its result comes while it runs, after a wrong one. */
  async early(_input, ctx) {
    const { token } = await ctx.defer();
    const { client } = rig;
    receipts = [await client.resolve(otherThan(token), 'wrong'), await client.resolve(token, 'right')];
    return 'handed over';
  },
  earlier: async (_input, { earlierCalls }) => JSON.stringify(await earlierCalls()),
  /** It does not defer, and somebody answers. */
  async undeferred(_input, { runId, callId }) {
    const id = [...told].find(([, [first]]) => first?.type === 'run_started' && first.runId === runId)?.[0];
    receipts = [await rig.client.resolve(`${'0'.repeat(32)}:${callId}:${id}`, 'wrong')];
    return 'paid';
  },
};

const run = (input: string, ctx: ToolContext) => behaviours[input]?.(input, ctx);
const once = { description: 'pays', effects: 'once' as const, retry: { maxAttempts: 1 }, run };
const says = (said: Reconciled) => ({
  reconcile: (_input: string, { runId }: ToolContext) => {
    asked.set(runId, (asked.get(runId) ?? 0) + 1);
    return said;
  },
});
const tools = [
  defineTool({ ...once, name: 'pay' }),
  defineTool({ ...once, name: 'strict', onFailure: 'fail' }),
  defineTool({ ...once, name: 'done', ...says({ status: 'done', output: 'was paid' }) }),
  defineTool({ ...once, name: 'notDone', retry: { maxAttempts: 2 }, ...says({ status: 'notDone' }) }),
];

const told = new Map<string, RunEvent[]>();
const agent = (name: string, more: object = {}) => ({
  name,
  model: modelOf((step, { prompt }) => {
    const [, tool = '', input = '', then] =
      /what: (\w+) (\w+)(?:, then (\w+))?/u.exec(JSON.stringify(prompt)) ?? [];
    if (step === '2' && then !== undefined) return act(tool, then);
    return step === '1' ? act(tool, input) : answer('ok');
  }),
  tools,
  ...more,
});
const rig = useRig({
  agents: [agent('a'), agent('hasty', { maxExecutionTime: 8_000 })],
  onEvent: (event, { id }) => void told.set(id, [...(told.get(id) ?? []), event]),
});
const start = (call: string, name = 'a') => rig.client.start(name, `what: ${call}`);
const underWay = (started: AgentRun) => eventOf(started.events(), 'tool_progress');

/** As the tools know the run. */
function runOf({ id }: AgentRun): string {
  const [first] = told.get(id) ?? [];
  return first?.type === 'run_started' ? first.runId : '';
}

/** The first observation of a run that ends, which is the same for all readers; an error's type of one that fails. */
async function endOf(started: AgentRun): Promise<unknown> {
  const end = await started.result().then(
    ({ intermediateSteps }) => intermediateSteps[0]?.observation,
    (error: { type?: string; name: string }) => error.type ?? error.name,
  );
  await expectToldAsRecorded(started, told);
  return end;
}

const NOT_KNOWN = 'It is not known whether pay took effect: ';
const NOTHING_DONE = expect.stringMatching(/^notDone did nothing, its reconcile says: /u) as string;
const skip: OperatorDecision = { type: 'skip' };
const skipped = 'This tool call was skipped by the operator; there is no result.';
const cancelCall: OperatorDecision = { type: 'cancelCall', reason: 'too late' };
const cancelled = 'This tool call was cancelled before it ended: too late';

interface Row {
  what: string;
  call: string;
  /** While the tool runs. */
  during?: OperatorDecision;
  /** Why the call waits, and what is decided then. */
  waits?: [wait: object, OperatorDecision];
  end: unknown;
  made?: number;
  looked?: number;
}
const rows: Row[] = [
  {
    what: 'waits in doubt when its result cannot be sent',
    call: 'pay unsendable',
    waits: [
      { reason: 'doubt', error: { message: expect.stringContaining('cannot be written as JSON') as string } },
      skip,
    ],
    end: skipped,
    made: 1,
  },
  {
    what: 'is run again when a person says so',
    call: 'pay throws',
    waits: [{ reason: 'doubt' }, { type: 'retry', input: 'works' }],
    end: 'paid',
    made: 2,
  },
  { what: 'fails the run where its tool says so', call: 'strict throws', end: 'InDoubt' },
  {
    what: 'is run as often as its tool has attempts where the tool finds it not done each time',
    call: 'notDone throws',
    waits: [{ reason: 'failed', error: { type: 'Error', message: NOTHING_DONE } }, skip],
    end: skipped,
    made: 2,
    looked: 2,
  },
  {
    what: 'that was cancelled and not done stays cancelled',
    call: 'notDone giving',
    during: cancelCall,
    end: cancelled,
    made: 1,
    looked: 1,
  },
  {
    what: 'that is cancelled before its effect is in no doubt',
    call: 'pay careful',
    during: cancelCall,
    end: cancelled,
    made: 0,
  },
  {
    what: 'that is cancelled after its effect has its result, if the tool says it in time',
    call: 'pay quick',
    during: cancelCall,
    end: 'paid just in time',
  },
  {
    what: 'that is cancelled and whose tool gives up is in doubt',
    call: 'pay giving',
    during: cancelCall,
    waits: [{ reason: 'doubt', error: { message: `${NOT_KNOWN}it was cancelled while it ran.` } }, skip],
    end: skipped,
  },
  {
    what: 'that is cancelled does not wait, though its tool leaves the result to somebody else',
    call: 'pay handing',
    during: cancelCall,
    end: cancelled,
  },
];

describe('a call that may take effect once only', () => {
  test.each(rows)('$what', async ({ call, during, waits, end, made, looked }) => {
    const started = await start(call);
    if (during !== undefined) {
      await underWay(started);
      await started.decide('1.1', during);
    }
    const [wait, decision] = waits ?? [];
    const { wait: seen } = wait === undefined ? { wait: {} } : await eventOf(started.events(), 'waiting');
    expect(seen).toMatchObject(wait ?? {});
    if (decision !== undefined) await started.decide('1.1', decision);
    expect(await endOf(started)).toEqual(end);
    const counts = [effects.get(runOf(started))?.length ?? 0, asked.get(runOf(started)) ?? 0];
    expect(counts).toEqual([made ?? counts[0], looked ?? counts[1]]);
  });

  test.each([
    ['in doubt', 'pay giving', 'it may or may not have taken effect, and there is no result.'],
    ['that would wait', 'pay handing', "This tool call was cut off at the run's time limit"],
  ])(
    "that the run's time limit cuts %s is told to the model, and nobody is asked",
    async (_what, call, said) => {
      expect(await endOf(await start(call, 'hasty'))).toContain(said);
    },
  );

  test('ends with its run that is cancelled, in doubt or not', async () => {
    const started = await start('pay giving');
    await underWay(started);
    await started.cancel();
    expect(await endOf(started)).toBe('AgentRunCancelled');
  });

  test.each([
    ['early', 'right', 2],
    ['undeferred', 'paid', 1],
  ])(
    'keeps an answer that comes while %s runs, and uses it with the right token',
    async (input, output, n) => {
      const started = await start(`pay ${input}, then earlier`);
      expect(await endOf(started)).toBe(output);
      const kept = { call: '1.1', n: 0, decision: 'resolve', kept: true };
      expect(receipts).toEqual(Array.from({ length: n }, () => kept));
      const { waiting, intermediateSteps } = await started.describe();
      expect(waiting).toEqual([]);
      // Later calls of the tool are told that answer.
      expect(intermediateSteps[1]?.observation).toBe(
        JSON.stringify([{ call: '1.1', toolInput: input, output }]),
      );
    },
  );

  test('does not have its tool asked while the run is paused', async () => {
    const started = await start('done gated');
    await underWay(started);
    await started.pause();
    await gate.open();
    await eventOf(started, 'tool_failed');
    await started.say('more'); // a workflow task after the failure
    expect(asked.get(runOf(started))).toBeUndefined();
    await started.resume();
    expect(await endOf(started)).toBe('was paid');
  });
});
