import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AgentRun } from '../../client/agent-run.ts';
import type { OperatorDecision } from '../../agent/events.ts';
import { agentTool } from '../../tools/agent-tool.ts';
import type { Json } from '../../agent/vocabulary.ts';
import { human } from '../../tools/human.ts';
import { defineTool } from '../../tools/tool.ts';
import { z } from 'zod';
import { type Rig, eventOf, startRig } from '../support/rig.ts';
import { act, answer, modelOf } from '../support/scripts.ts';

/** What the tools were run with. */
const ran: string[] = [];
const tokens: string[] = [];
const run = (input: string) => {
  ran.push(input);
  if (input === 'broken') throw new Error('no');
  return `did ${input}`;
};
const always = defineTool({
  name: 'always',
  description: 'asks every time',
  approval: 'always',
  retry: { maxAttempts: 1 },
  run,
});
const costly = defineTool({
  name: 'costly',
  description: 'asks from 100 on',
  input: z.object({ amount: z.number() }),
  approval: ({ amount }, { agent, callId }) => {
    if (amount === 13) throw new Error(`${agent} is superstitious at ${callId}`);
    return amount >= 100;
  },
  run: ({ amount }) => run(String(amount)),
});
const job = defineTool({
  name: 'job',
  description: 'hands the work to somebody else',
  run(input, ctx) {
    tokens.push(ctx.defer().token);
    return `job ${input} is with the batch system`;
  },
});
const person = human({ askTimeout: '1h' });
const hasty = human({ name: 'hasty', askTimeout: 300 });
const strict = human({ name: 'strict', askTimeout: { after: 300, unanswered: 'fail' } });
const helper = agentTool({ agent: 'helper', description: 'helps', approval: 'always' });
const tools = [always, costly, job, person, hasty, strict, helper];
const agent = (name: string, ...replies: string[]) => ({
  name,
  model: modelOf((step) => replies[Number(step) - 1] ?? answer('ok')),
  tools,
});

let rig: Rig;
beforeAll(async () => {
  rig = await startRig({
    agents: [
      agent('asks', act('always', 'a'), act('always', 'b'), act('always', 'a')),
      agent('breaks', act('always', 'broken')),
      agent('pays', act('costly', '{"amount": 5}'), act('costly', '{"amount": 500}')),
      agent('mistypes', act('costly', '{"amount": "much"}')),
      agent('unlucky', act('costly', '{"amount": 13}')),
      agent('defers', act('job', 'x')),
      agent('person', act('ask_human', 'which one?')),
      agent('hasty', act('hasty', 'quick?')),
      agent('strict', act('strict', 'quick?')),
      agent('parent', act('helper', 'help me')),
      agent('helper', act('always', 'inner')),
    ],
  });
}, 60_000);
afterAll(() => rig.stop());

async function waitingRun(name: string, input = 'what?'): Promise<AgentRun> {
  ran.length = 0;
  const started = await rig.client.start(name, input);
  await eventOf(started.events({ live: false }), 'waiting');
  return started;
}

const circle: { self?: object } = {};
circle.self = circle;

const observations = async (of: AgentRun) =>
  (await of.result()).intermediateSteps.map(({ observation }) => observation);

describe('a tool with approval', () => {
  test('is run only when a person has approved', async () => {
    const asked = await waitingRun('asks');
    expect((await asked.describe()).waiting).toEqual([
      { call: '1.1', n: 0, tool: 'always', toolInput: 'a', reason: 'approval' },
    ]);
    expect(ran).toEqual([]);
    await asked.decide(undefined, { type: 'approve', remember: 'tool' });
    expect(await observations(asked)).toEqual(['did a', 'did b', 'did a']);
    expect(ran).toEqual(['a', 'b', 'a']);
    // Also who asks a run that is over hears how it stands.
    const status = await rig.temporal.workflow.getHandle(asked.id).query('status');
    expect(status).toMatchObject({ status: 'completed', waiting: [] });
  });

  test('is not asked about again for the input that was remembered, but for another', async () => {
    const asked = await waitingRun('asks');
    await asked.decide('1.1', { type: 'approve', remember: 'input' });
    const second = await eventOf(asked.events({ live: false }), 'waiting', ({ park }) => park.call === '2.1');
    expect(second.park.toolInput).toBe('b');
    await asked.decide('2.1', { type: 'reject', reason: 'b is not ours' });
    expect(await observations(asked)).toEqual([
      'did a',
      'This tool call was not approved by the operator and was not run: b is not ours',
      'did a',
    ]);
    expect(ran).toEqual(['a', 'a']);
  });

  test('is run with the input that a person gives, under the id of its first schedule', async () => {
    const asked = await waitingRun('asks');
    await asked.decide('1.1', { type: 'approve', input: 'mine', remember: 'tool' });
    const { intermediateSteps } = await asked.result();
    expect(intermediateSteps[0]).toMatchObject({
      call: '1.1',
      action: { toolInput: 'mine' },
      observation: 'did mine',
      attempts: 1,
    });
  });

  test('waits again, with a number of its own, when it fails after its approval; it is not approved twice', async () => {
    const asked = await waitingRun('breaks');
    await asked.decide('1.1', { type: 'approve' }, 0);
    const failed = await eventOf(asked.events({ live: false }), 'waiting', ({ park }) => park.n === 1);
    expect(failed.park.reason).toBe('failed');
    await expect(asked.decide('1.1', { type: 'resolve', output: 'x' }, 0)).rejects.toThrow('park 1 by now');
    await asked.decide('1.1', { type: 'retry', input: 'mended' }, 1);
    expect(await observations(asked)).toEqual(['did mended']);
  });

  test('is asked about only where its function says so, which gets the input as the tool does', async () => {
    const asked = await waitingRun('pays');
    expect(ran).toEqual(['5']);
    expect((await asked.describe()).waiting).toMatchObject([{ call: '2.1', reason: 'approval' }]);
    await asked.decide(undefined, { type: 'approve' });
    expect(await observations(asked)).toEqual(['did 5', 'did 500']);
  });

  test('is not asked about with an input that it would refuse: the model is told at once', async () => {
    const [told] = await observations(await rig.client.start('mistypes', 'what?'));
    expect(told).toContain('The input of costly is not valid');
  });

  test('is asked about when its function throws, and the person sees why', async () => {
    const asked = await waitingRun('unlucky');
    expect((await asked.describe()).waiting).toMatchObject([
      {
        reason: 'approval',
        error: {
          type: 'ApprovalFailed',
          message: 'Its approval function threw, so a person is asked: unlucky is superstitious at 1.1',
        },
      },
    ]);
    await asked.decide(undefined, { type: 'abort', reason: 'no' });
    await expect(asked.result()).rejects.toMatchObject({ type: 'Aborted' });
  });

  test('may be a sub-agent, whose own calls ask as well', async () => {
    const asked = await waitingRun('parent');
    await asked.decide('1.1', { type: 'approve' });
    const inner = await eventOf(
      asked.events({ live: false }),
      'waiting',
      ({ park }) => park.call === '1.1/1.1',
    );
    expect(inner.park).toMatchObject({ tool: 'always', reason: 'approval' });
    // As the only one that waits it need not be named.
    await asked.decide(undefined, { type: 'approve' });
    expect(await observations(asked)).toEqual(['ok']);
  });

  test('is not decided on by the number of a wait without its call: the next call counts from 0 as well', async () => {
    const asked = await waitingRun('asks');
    await asked.decide(undefined, { type: 'approve' });
    await eventOf(asked.events({ live: false }), 'waiting', ({ park }) => park.call === '2.1');
    await expect(asked.decide(undefined, { type: 'reject' }, 0)).rejects.toMatchObject({
      name: 'InvalidInput',
      message: expect.stringContaining('Name the call'),
    });
    expect((await asked.describe()).waiting).toMatchObject([{ call: '2.1' }]);
    await asked.cancel();
  });

  test.each<[what: string, output: unknown, name: string, said: string]>([
    ['is too large for the server', 'x'.repeat(3_000_000), 'DecisionRefused', 'a run takes 100000'],
    ['is too large for the run', 'x'.repeat(200_000), 'DecisionRefused', 'larger than 100000 bytes'],
    ['is a circle', circle, 'InvalidInput', 'cannot be written as JSON'],
  ])('goes on waiting when its result %s, with a sentence that says so', async (_, output, name, said) => {
    const asked = await waitingRun('asks');
    const decision = { type: 'resolve', output: output as Json } as const; // as untyped code may have it
    await expect(asked.decide('1.1', decision)).rejects.toMatchObject({
      name,
      message: expect.stringContaining(said),
    });
    expect((await asked.describe()).status).toBe('waiting');
    await asked.cancel();
  });

  test.each<[OperatorDecision, string]>([
    [{ type: 'retry' }, 'Possible: approve, reject, resolve, abort.'],
    [{ type: 'skip' }, 'Possible: approve, reject, resolve, abort.'],
    [{ type: 'cancelCall' }, 'it waits for approval'],
    [{ type: 'resolve', output: 'x', token: 'stolen' }, 'this token is not that of 1.1'],
  ])('refuses %j and says what fits', async (decision, said) => {
    const asked = await waitingRun('asks');
    await expect(asked.decide('1.1', decision)).rejects.toThrow(said);
    await asked.cancel();
  });
});

test('a deferred call is finished by who has its token, without a word about the run', async () => {
  tokens.length = 0;
  const deferred = await waitingRun('defers');
  expect((await deferred.describe()).waiting).toEqual([
    {
      call: '1.1',
      n: 0,
      tool: 'job',
      toolInput: 'x',
      reason: 'deferred',
      note: 'job x is with the batch system',
    },
  ]);
  await rig.restart();
  const [token = ''] = tokens;
  await expect(rig.client.resolve(`${'0'.repeat(32)}${token.slice(32)}`, 'x')).rejects.toThrow('token');
  await expect(rig.client.resolve('what?', 'x')).rejects.toThrow('This is no token of a deferred call');
  await rig.client.resolve(token, { rows: 3 });
  expect(await observations(deferred)).toEqual([{ rows: 3 }]);
  await expect(rig.client.resolve(token, 'twice')).rejects.toMatchObject({ name: 'DecisionRefused' });
});

describe('a person as a tool', () => {
  test('answers with resolve; no activity is there meanwhile', async () => {
    const asked = await waitingRun('person');
    const { waiting } = await asked.describe();
    expect(waiting).toEqual([
      { call: '1.1', n: 0, tool: 'ask_human', toolInput: { question: 'which one?' }, reason: 'deferred' },
    ]);
    const described = await rig.temporal.workflow.getHandle(asked.id).describe();
    expect(described.raw.pendingActivities ?? []).toEqual([]);
    expect(described.memo).toMatchObject({
      waiting: [{ call: '1.1', tool: 'ask_human', reason: 'deferred' }],
    });
    await asked.decide(undefined, { type: 'resolve', output: 'the red one' });
    expect(await observations(asked)).toEqual(['the red one']);
    const after = await rig.temporal.workflow.getHandle(asked.id).describe();
    expect(after.memo?.['waiting']).toBeFalsy();
  });

  test('who does not answer in time is told of to the model', async () => {
    const { output, intermediateSteps } = await rig.client.run('hasty', 'what?');
    expect(output).toBe('ok');
    expect(intermediateSteps).toMatchObject([
      { call: '1.1', attempts: 0, observation: 'Nobody answered in time; there is no result.' },
    ]);
  });

  test('who does not answer in time fails the run where the tool says so', async () => {
    await expect(rig.client.run('strict', 'what?')).rejects.toMatchObject({ type: 'Unanswered' });
  });
});

test('a program is told of each wait once, and what it answers goes on', async () => {
  ran.length = 0;
  const told: string[] = [];
  const { output } = await rig.client.run('asks', 'what?', {
    onWaiting: async (waiting, asked) => {
      told.push(waiting.call);
      await asked.decide(waiting.call, { type: 'approve' }, waiting.n);
    },
  });
  expect(output).toBe('ok');
  expect(told).toEqual(['1.1', '2.1', '3.1']);
  expect(ran).toEqual(['a', 'b', 'a']);
});

test('what a program throws at a wait ends its own waiting, not the run', async () => {
  const asked = await rig.client.start('asks', 'what?');
  const result = asked.result({
    onWaiting() {
      throw new RangeError('not today');
    },
  });
  await expect(result).rejects.toThrow('not today');
  expect((await asked.describe()).status).toBe('waiting');
  await asked.cancel();
});
