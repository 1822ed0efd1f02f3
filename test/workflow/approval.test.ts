import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { AgentRun } from '../../client/api/agent-run.ts';
import type { Json } from '../../agent/values/vocabulary.ts';
import { defineTool } from '../../tools/tool.ts';
import { z } from 'zod';
import { useRig, waitOf } from '../support/rig.ts';
import { act, answer, modelOf } from '../support/scripts.ts';

/** What the tools were run with. */
const ran: string[] = [];
const run = (input: string) => {
  ran.push(input);
  return `did ${input}`;
};
const always = defineTool({
  name: 'always',
  description: 'asks every time',
  approval: 'always',
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
const tools = [always, costly];
const agent = (name: string, ...replies: string[]) => ({
  name,
  model: modelOf((step) => replies[Number(step) - 1] ?? answer('ok')),
  tools,
});

const rig = useRig({
  agents: [
    agent('asks', act('always', 'a'), act('always', 'b'), act('always', 'a')),
    agent('pays', act('costly', '{"amount": 5}'), act('costly', '{"amount": 500}')),
    agent('mistypes', act('costly', '{"amount": "much"}')),
    agent('unlucky', act('costly', '{"amount": 13}')),
  ],
});

async function waitingRun(name: string, input = 'what?'): Promise<AgentRun> {
  ran.length = 0;
  const started = await rig.client.start(name, input);
  await waitOf(started);
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
    expect((await waitOf(asked, { call: '2.1' })).toolInput).toBe('b');
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

  test('is not decided on by the number of a wait without its call: the next call counts from 0 as well', async () => {
    const asked = await waitingRun('asks');
    await asked.decide(undefined, { type: 'approve' });
    await waitOf(asked, { call: '2.1' });
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

test.each([
  ['at once', () => Promise.reject(new RangeError('not today'))],
  ['later', () => setTimeout(100).then(() => Promise.reject(new RangeError('not today')))],
])(
  'an error that a program throws %s at a wait ends its own waiting with that, not the run',
  async (_, onWaiting) => {
    const asked = await rig.client.start('asks', 'what?');
    await expect(asked.result({ onWaiting })).rejects.toThrow(new RangeError('not today'));
    expect((await asked.describe()).status).toBe('waiting');
    await asked.cancel();
  },
);
