import { expect, test } from 'vitest';
import { agentTool } from '../../adapters/tools/agent-tool.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { allOf } from '../support/all-of.ts';
import { continuedAfter, useRig, waitOf } from '../support/rig.ts';
import { act, answer, modelOf, promptOf, script } from '../support/scripts.ts';

const STEPS = 6;
const LONG = 'x'.repeat(3_000);
let broken = false;
const model = modelOf((step) => (Number(step) <= STEPS ? act('long', step) : answer(`at ${step}`)));
const long = defineTool({
  name: 'long',
  description: 'a lot of text',
  retry: { maxAttempts: 1 },
  onFailure: 'fail',
  run(input) {
    if (broken && input === '5') throw new Error('out of order');
    return `result ${input} ${LONG}`;
  },
});

/** A person is asked where it fails. */
const asked = defineTool({
  name: 'asked',
  description: 'a lot of text',
  retry: { maxAttempts: 1 },
  run: long.run,
});
const asking = modelOf((step) => (Number(step) <= STEPS ? act('asked', step) : answer(`at ${step}`)));

const guarded = defineTool({ ...long, name: 'guarded', approval: 'always' });
const guardedModel = modelOf((step) => (Number(step) <= 4 ? act('guarded', step) : answer(`at ${step}`)));

// A run of one turn is long enough to be continued as new, and each model call rests on what was recorded alone.
const rig = useRig(
  {
    agents: [
      { name: 'a', model, tools: [long] },
      { name: 'asks', model: asking, tools: [asked] },
      { name: 'guarded', model: guardedModel, tools: [guarded] },
      {
        name: 'parent',
        model: script(act('helper', 'help'), act('careful', 'help')),
        tools: [
          agentTool({ name: 'helper', agent: 'asks', description: 'fails' }),
          agentTool({ name: 'careful', agent: 'guarded', description: 'asks at each step' }),
        ],
      },
    ],
  },
  { transcriptCacheBytes: 1, server: continuedAfter(12) },
);

const observed = (of = model) =>
  of.requests.map(({ request }) =>
    [...promptOf(request).matchAll(/^Observation: result (\d+) x+$/gmu)].map(([, n]) => Number(n)),
  );
const upTo = (step: number) => Array.from({ length: step }, (_, n) => n + 1);
const calls = (steps: readonly { call: string }[]) => steps.map(({ call }) => call);

test('a run that was continued as new is taken back to any step, again and again, and goes on being continued', async () => {
  const run = await rig.client.start('a', 'what?');
  const { intermediateSteps: before } = await run.result();
  for (const step of [5, 2, 6]) {
    model.requests.length = 0;
    await run.rewind({ step });
    const { output, intermediateSteps, usage } = await run.result();
    expect(output).toBe('at 7');
    expect(calls(intermediateSteps)).toEqual(calls(before));
    expect(usage.modelCalls).toBe(STEPS + 1);
    expect(observed()).toEqual(Array.from({ length: STEPS + 2 - step }, (_, n) => upTo(step - 1 + n)));
  }
}, 120_000);

test('a run that failed after it was continued as new is retried, and forked', async () => {
  broken = true;
  const run = await rig.client.start('a', 'what?');
  await expect(run.result()).rejects.toThrow('out of order');
  const { id } = await run.fork({ step: 4, edits: { '2.1': `result 22 ${LONG}` } });
  await expect(rig.client.get(id).result()).rejects.toThrow('out of order');
  broken = false;
  model.requests.length = 0;
  expect((await run.retry()).calls).toEqual(['5.1']);
  expect((await run.result()).output).toBe('at 7');
  expect(observed()).toEqual([upTo(5), upTo(6)]);
  model.requests.length = 0;
  await rig.client.get(id).retry();
  expect((await rig.client.get(id).result()).output).toBe('at 7');
  expect(observed()).toEqual([
    [1, 22, 3, 4, 5],
    [1, 22, 3, 4, 5, 6],
  ]);
}, 120_000);

test('a run that goes on rewinds itself to a step before it was continued as new, and after', async () => {
  broken = true;
  const run = await rig.client.start('asks', 'what?');
  await waitOf(run, { call: '5.1', n: 0 });
  asking.requests.length = 0;
  await run.rewind({ step: 2 });
  await waitOf(run, { call: '5.1', n: 1 });
  await expect(run.decide('5.1', { type: 'retry' }, 0)).rejects.toThrow('by now, not 0');
  expect(observed(asking)).toEqual([upTo(1), upTo(2), upTo(3), upTo(4)]);
  asking.requests.length = 0;
  await run.rewind({ step: 4 });
  await waitOf(run, { call: '5.1', n: 2 });
  broken = false;
  await run.decide('5.1', { type: 'retry' }, 2);
  const { output, intermediateSteps } = await run.result();
  expect(output).toBe('at 7');
  expect(calls(intermediateSteps)).toEqual(['1.1', '2.1', '3.1', '4.1', '5.1', '6.1']);
  expect(observed(asking)).toEqual([upTo(3), upTo(4), upTo(5), upTo(6)]);
  const requests = (await allOf(run.requests({ follow: false }))).map(({ call }) => call);
  expect(requests.join(' ')).toBe('1 2 3 4 5 2 3 4 5 4 5 6 7');
}, 120_000);

test('a sub-agent that was continued as new is cancelled with its call, and its waits end for its parent', async () => {
  broken = true;
  const run = await rig.client.start('parent', 'what?');
  await waitOf(run, { call: '1.1/5.1', n: 0 });
  await run.decide('1.1', { type: 'cancelCall' });
  for (const step of [1, 2, 3, 4]) {
    await waitOf(run, { call: `2.1/${step}.1`, n: 0 });
    await expect.poll(async () => (await run.describe()).waiting).toHaveLength(1);
    await run.decide(`2.1/${step}.1`, { type: 'reject' });
  }
  expect((await run.result()).intermediateSteps).toMatchObject([
    { call: '1.1', observation: expect.stringContaining('cancelled') },
    { call: '2.1', observation: 'at 5' },
  ]);
  await expect(rig.client.get(`${run.id}/1.1`).result()).rejects.toThrow('cancelled');
}, 120_000);
