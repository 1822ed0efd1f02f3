import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { rejectedTool } from '../../agent/observation/observations.ts';
import type { OperatorDecision } from '../../agent/run/events.ts';
import type { Json } from '../../agent/values/vocabulary.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { DecisionRefused } from '../../client/connect/errors.ts';
import { agentTool } from '../../adapters/tools/agent-tool.ts';
import { human } from '../../adapters/tools/human.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { createGate } from '../support/gate.ts';
import { eventOf, useRig, waitOf } from '../support/rig.ts';
import { gatedTool } from '../support/sample-tools.ts';
import { act, answer, modelOf, promptOf, script } from '../support/scripts.ts';

/** Calls that wait for a person, as clients and the server see them. What each decision does: test/support/steered-paths.ts. */
const guarded = defineTool({
  name: 'guarded',
  description: 'asks every time',
  approval: 'always',
  maxOutputChars: 99_000,
  run: (input) => `did ${input}`,
});
const costly = defineTool({
  name: 'costly',
  description: 'asks from 100 on',
  input: z.object({ amount: z.number() }),
  approval: ({ amount }) => amount >= 100,
  run: ({ amount }) => `did ${amount}`,
});
/** The largest amount that the tool takes: a deploy may change it while a call waits. */
let most = Infinity;
const changing = defineTool({
  name: 'changing',
  description: 'takes less after a deploy',
  input: z.object({ amount: z.number().refine((amount) => amount <= most, { error: 'Too much' }) }),
  approval: 'always',
  run: ({ amount }) => `did ${amount}`,
});
/** Each attempt: input, key, and what it found of the ones before. */
const attempts: { input: string; key: string; checkpoint: unknown }[] = [];
const flaky = defineTool({
  name: 'flaky',
  description: 'fails until its input is another',
  retry: { maxAttempts: 1 },
  async run(input, { lastCheckpoint, checkpoint, idempotencyKey: key }) {
    if (lastCheckpoint === undefined) await checkpoint('half way');
    attempts.push({ input, key, checkpoint: lastCheckpoint });
    if (input === 'broken') throw new Error('the server said 500');
    return `result of ${input}`;
  },
});
const deaf = defineTool({
  name: 'deaf',
  description: 'never returns and hears nothing',
  timeout: 300,
  retry: { maxAttempts: 2, initialInterval: 10 },
  run: () => new Promise(() => undefined),
});
const tokens: string[] = [];
const stumbles = defineTool({
  name: 'stumbles',
  description: 'fails once it has given its token out, then leaves the result to somebody else',
  retry: { initialInterval: 1 },
  async run(_input, ctx) {
    tokens.push((await ctx.defer()).token);
    if (ctx.attempt === 1) throw new Error('the line went dead');
    return 'queued';
  },
});
const gate = createGate();
const asking = agentTool({ name: 'asking', agent: 'guarded', description: 'asks' });
const tools = [guarded, costly, changing, flaky, deaf, stumbles, human(), gatedTool(gate), asking];
const agent = (name: string, ...replies: string[]) => ({ name, model: script(...replies), tools });
const both = modelOf((step) => (step.endsWith('1') ? act('slow', 'a') : answer('ok')));
const output = z.object({ n: z.number() });
const rig = useRig({
  agents: [
    agent('guarded', act('guarded', 'a'), act('guarded', 'b')),
    agent('costly', ...['5', '"much"', '500'].map((amount) => act('costly', `{"amount": ${amount}}`))),
    agent('changing', act('changing', '{"amount": 500}')),
    agent('flaky', act('flaky', 'broken')),
    agent('deaf', act('deaf', 'x')),
    agent('stumbles', act('stumbles', 'x')),
    agent('person', act('ask_human', 'which one?')),
    agent('delegates', act('asking', 'a')),
    { ...agent('shaped', act('costly', '{"amount": 5}')), onLimit: 'ask', maxIterations: 1, output },
    { name: 'both', model: both, tools },
  ],
});

async function waitingRun(name: string): Promise<AgentRun> {
  const started = await rig.client.start(name, 'what?');
  await waitOf(started);
  // Answered once the workflow has taken note of the wait: from then on nothing moves by itself.
  await rig.temporal.workflow.getHandle(started.id).query('status');
  return started;
}

const observations = async (of: AgentRun) =>
  (await of.result()).intermediateSteps.map(({ observation }) => observation);

describe('a call that waits', () => {
  test('says so in the report, the status, the memo and the Web UI, and no more when it is over', async () => {
    const run = await waitingRun('flaky');
    const error = { type: 'Error', message: 'the server said 500' };
    const wait = { call: '1.1', n: 0, tool: 'flaky', toolInput: 'broken', reason: 'failed', error };
    expect(await run.describe()).toMatchObject({ status: 'waiting', waiting: [wait] });
    const handle = rig.temporal.workflow.getHandle(run.id);
    expect(await handle.query('status')).toMatchObject({ status: 'waiting', waiting: [wait], running: [] });
    const metadata = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
    expect(metadata.currentDetails).toContain('**Waiting for you**: `flaky` (`1.1`) failed');
    expect((await handle.describe()).memo).toMatchObject({ waiting: [{ call: '1.1', reason: 'failed' }] });
    await run.decide(undefined, { type: 'skip' });
    await run.result();
    expect(await handle.query('status')).toMatchObject({ status: 'completed', waiting: [] });
    expect((await handle.describe()).memo?.['waiting']).toBeFalsy();
  });

  test('for an approval asks where its function says so, which gets the input as the tool does', async () => {
    const run = await waitingRun('costly');
    expect((await run.describe()).waiting).toMatchObject([{ call: '3.1', reason: 'approval' }]);
    await run.decide(undefined, { type: 'approve' });
    expect(await observations(run)).toEqual([
      'did 5',
      expect.stringContaining('The input of costly is not valid'),
      'did 500',
    ]);
  });

  test('for an approval waits again if the tool has changed, and no longer takes the approved input', async () => {
    const run = await waitingRun('changing');
    most = 100;
    await run.decide(undefined, { type: 'approve' });
    await waitOf(run, { n: 1 });
    const [wait] = (await run.describe()).waiting;
    expect(wait).toMatchObject({ call: '1.1', reason: 'failed', error: { type: 'ToolInputError' } });
    expect(wait?.error?.message).toMatch(/^The tool has changed since this call was made.*Too much/su);
    await run.decide(undefined, { type: 'retry', input: { amount: 50 } });
    expect(await observations(run)).toEqual([expect.stringContaining('did 50')]);
  });

  test('is run again with another input: another key, the same checkpoint, fresh attempts', async () => {
    const run = await waitingRun('flaky');
    attempts.length = 0;
    expect(await run.decide(undefined, { type: 'retry' })).toEqual({ call: '1.1', n: 0, decision: 'retry' });
    await waitOf(run, { n: 1 });
    await run.decide('1.1', { type: 'retry', input: 'fixed' });
    expect((await run.result()).intermediateSteps).toMatchObject([
      { action: { toolInput: 'fixed' }, observation: 'result of fixed', attempts: 3 },
    ]);
    expect(attempts).toMatchObject(['broken', 'fixed'].map((input) => ({ input, checkpoint: 'half way' })));
    expect(attempts[1]?.key).not.toBe(attempts[0]?.key);
  });

  test('never returned, and its attempts are used up', async () => {
    const run = await waitingRun('deaf');
    const [wait] = (await run.describe()).waiting;
    expect(wait?.error).toEqual({ type: 'Timeout', message: 'deaf took longer than its time-out of 0.3 s' });
    await run.decide(undefined, { type: 'skip' });
    expect((await run.result()).intermediateSteps).toMatchObject([{ attempts: 2 }]);
  });

  test('for a person has no activity meanwhile', async () => {
    const run = await waitingRun('person');
    const { raw } = await rig.temporal.workflow.getHandle(run.id).describe();
    expect(raw.pendingActivities ?? []).toEqual([]);
    await run.decide(undefined, { type: 'resolve', output: 'the red one' });
    expect(await observations(run)).toEqual(['the red one']);
  });

  const circle: { self?: object } = {};
  circle.self = circle;
  test.each<[what: string, output: unknown, name: string, said: string]>([
    ['is too large for the server', 'x'.repeat(3_000_000), 'DecisionRefused', 'a run takes 100000'],
    ['is too large for the run', 'x'.repeat(200_000), 'DecisionRefused', 'larger than 100000 bytes'],
    ['is too long for its tool', { a: 'x'.repeat(98_993) }, 'DecisionRefused', 'has 99001 characters'],
    ['is a circle', circle, 'InvalidInput', 'cannot be written as JSON'],
  ])('goes on waiting when its result %s, with a sentence that says so', async (_, result, name, said) => {
    const run = await waitingRun('guarded');
    const decision = { type: 'resolve', output: result as Json } as const; // as untyped code may have it
    const message: unknown = expect.stringContaining(said);
    await expect(run.decide('1.1', decision)).rejects.toMatchObject({ name, message });
    expect((await run.describe()).status).toBe('waiting');
    await run.cancel();
  });

  test('takes a result as long as those of its tool', async () => {
    const [run, output] = [await waitingRun('guarded'), 'x'.repeat(99_000)];
    await run.decide('1.1', { type: 'resolve', output });
    expect((await eventOf(run, 'step')).step.observation).toBe(output);
  });

  test('at a limit takes no answer of another shape than the output of its agent', async () => {
    const run = await waitingRun('shaped');
    for (const result of ['5', '{"n":5}', {}, { n: 'five' }, { n: '5' }, { n: null }, [5]]) {
      await expect(run.decide('2', { type: 'resolve', output: result })).rejects.toThrow(
        "does not fit the agent's output",
      );
    }
    await run.decide('2', { type: 'resolve', output: { n: 5 } });
    expect(await run.result()).toMatchObject({ output: { n: 5 }, stopReason: 'final_answer' });
  });
});

test('a program hears of each wait once, and what it answers is done', async () => {
  const heard: string[] = [];
  const { intermediateSteps } = await rig.client.run('guarded', 'what?', {
    onWaiting: async ({ call, n }, asked) => {
      heard.push(call);
      await asked.decide(call, { type: 'approve' }, n);
    },
  });
  expect([heard, intermediateSteps.length]).toEqual([['1.1', '2.1'], 2]);
});

describe('the token of a deferred call', () => {
  test('stays over attempts, finishes the call without a word about the run, and is shown nowhere', async () => {
    tokens.length = 0;
    const run = await waitingRun('stumbles');
    const [first = '', second = ''] = tokens;
    expect(second).toBe(first);
    expect((await run.describe()).waiting).toMatchObject([{ reason: 'deferred', note: 'queued' }]);
    await run.decide('1.1', { type: 'retry' });
    await waitOf(run, { n: 1 });
    const token = tokens.at(-1) ?? '';
    for (const wrong of [first, `${'0'.repeat(32)}${token.slice(32)}`])
      await expect(rig.client.resolve(wrong, 'x')).rejects.toThrow('token');
    await expect(rig.client.resolve('what?', 'x')).rejects.toThrow('This is not a token of a deferred call');
    await rig.restart();
    await rig.client.resolve(token, { rows: 3 });
    expect(await observations(run)).toEqual([{ rows: 3 }]);
    await expect(rig.client.resolve(token, 'twice')).rejects.toMatchObject({ name: 'DecisionRefused' });
    const told = await (await run.toResponse()).text();
    const shown = JSON.stringify([told, await run.describe(), await run.export({ prompts: true })]);
    expect(shown).toContain('resolve');
    expect(shown).not.toContain(token.slice(0, 32));
  });
});

describe('of two people', () => {
  test.each<OperatorDecision[]>([
    [{ type: 'approve' }, { type: 'reject', reason: 'no' }],
    [
      { type: 'reject', reason: 'no' },
      { type: 'resolve', output: 'by hand' },
    ],
  ])('who decide at once $type and $type one wins, and the other is refused', async (one, other) => {
    const said = { approve: 'did a', reject: rejectedTool('no'), resolve: 'by hand' };
    const run = await waitingRun('guarded');
    const sent = [one, other].map((decision) => run.decide('1.1', decision, 0).then(() => decision));
    const outcomes = await Promise.allSettled(sent);
    const [won, ...more] = outcomes.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
    const lost = outcomes.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
    expect([more, lost]).toEqual([[], [expect.any(DecisionRefused)]]);
    await waitOf(run, { call: '2.1' });
    const [step] = (await run.describe()).intermediateSteps;
    expect(step?.observation).toBe(said[won?.type as keyof typeof said]);
    // The next call counts its waits from 0 as well.
    await expect(run.decide(undefined, { type: 'reject' }, 0)).rejects.toThrow('Name the call');
    await run.cancel();
  });

  test('one cancels a run while it rewinds itself for the other: it is cancelled', async () => {
    const run = await waitingRun('guarded');
    await run.rewind({ step: 1 });
    await run.cancel();
    await expect(run.result()).rejects.toThrow('cancelled');
  });

  test('one decides on a sub-agent that a rewind by the other has ended: it is refused', async () => {
    const run = await waitingRun('delegates');
    await waitOf(run, { call: '1.1/1.1', n: 0 });
    await run.rewind({ step: 1 });
    await waitOf(run, { call: '1.1~1/1.1', n: 0 });
    await expect(run.decide('1.1/1.1', { type: 'approve' }, 0)).rejects.toThrow('is over (cancelled)');
    await run.cancel();
  });
});

test('a message reaches all agents of a workflow, and a pause is on its timeline', async () => {
  const handle = await rig.temporal.workflow.start('sideBySide', {
    workflowId: `side-by-side-${Date.now()}`,
    taskQueue: rig.taskQueue,
    args: ['both', ['one?', 'two?']],
  });
  const run = rig.client.get(handle.workflowId);
  await gate.reached(2);
  await eventOf(run, 'tool_started');
  await run.say('Hello both.');
  await run.pause();
  const { events } = await handle.fetchHistory();
  const summaries = (events ?? []).map(({ userMetadata }) => userMetadata?.summary?.data ?? []);
  expect(summaries.map((data) => Buffer.from(data).toString())).toContain('"paused. resume"');
  await run.resume();
  await gate.open();
  await handle.result();
  const last = both.requests.filter(({ step }) => step.endsWith('2'));
  expect(last.map(({ request }) => promptOf(request).includes('Hello both.'))).toEqual([true, true]);
});
