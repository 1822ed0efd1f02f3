import { beforeEach, describe, expect, test } from 'vitest';
import { defineTool } from '../../tools/tool.ts';
import { useRig } from '../support/rig.ts';
import { act, answer, modelOf, promptOf } from '../support/scripts.ts';
import { allOf } from '../support/all-of.ts';

const script = (step: string) => (Number(step) < 4 ? act('count', step) : answer(`at ${step}`));
const model = modelOf(script);
const other = modelOf(script);
let keys: string[] = [];
const long = 'y'.repeat(2000);
const count = defineTool({
  name: 'count',
  description: 'counts',
  run(input, { idempotencyKey }) {
    keys.push(idempotencyKey);
    return `${input} ${long}`;
  },
});

const rig = useRig({
  models: { other },
  agents: [{ name: 'a', model, tools: [count] }],
});
beforeEach(() => {
  keys = [];
  model.requests.length = 0;
  other.requests.length = 0;
});

async function finished() {
  const run = await rig.client.start('a', 'what?');
  return { run, before: await run.result() };
}

/** Observations in the prompt, without the line that explains the format. */
const observed = (request: Parameters<typeof promptOf>[0]) =>
  [...promptOf(request).matchAll(/^Observation: (.*)$/gmu)]
    .map(([, text = '']) => text.replace(` ${long}`, ''))
    .slice(1);

describe('a fork', () => {
  test('is a run of its own with the steps before, and leaves the other one alone', async () => {
    const { run, before } = await finished();
    const { runId } = await run.describe();
    const receipt = await run.fork({ step: 3 });
    expect(receipt).toEqual({ id: expect.stringMatching(/^a-/u), runId: expect.any(String), step: 3 });
    expect(receipt.id).not.toBe(run.id);
    const forked = rig.client.get(receipt.id);
    const after = await forked.result();
    expect(after).toMatchObject({ output: 'at 4', iterations: 4 });
    expect(after.intermediateSteps.slice(0, 2)).toEqual(before.intermediateSteps.slice(0, 2));
    expect(await forked.describe()).toMatchObject({ id: receipt.id, runId: receipt.runId, input: 'what?' });
    expect((await run.describe()).runId).toBe(runId);
    // Its calls are other calls than those of the run it comes from.
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys).toHaveLength(4);
  });

  test('has the id it is given, and an id that is taken is refused', async () => {
    const { run } = await finished();
    const id = `${run.id}-fork`;
    expect((await run.fork({ step: 2, id })).id).toBe(id);
    await expect(run.fork({ step: 2, id })).rejects.toThrow(/there is a run ".*" already/u);
  });

  test('with another model asks that one, for good, and keeps what is pinned else', async () => {
    const { run } = await finished();
    model.requests.length = 0;
    const { id } = await run.fork({ step: 3, model: 'other' });
    expect((await rig.client.get(id).result()).output).toBe('at 4');
    expect(model.requests).toEqual([]);
    expect(other.requests.map(({ step, request }) => [step, request.model, observed(request)])).toEqual([
      ['3', 'other', ['1', '2']],
      ['4', 'other', ['1', '2', '3']],
    ]);
    await rig.restart();
    other.requests.length = 0;
    await rig.client.get(id).rewind({ step: 4 });
    await rig.client.get(id).result();
    expect(other.requests.map(({ step }) => step)).toEqual(['4']);
    const requests = await allOf(rig.client.get(id).requests());
    expect(requests.map(({ request }) => request.model)).toEqual(['a', 'a', 'other', 'other']);
  });

  test('at the first step can have another model too', async () => {
    const { run } = await finished();
    const { id } = await run.fork({ step: 1, model: 'other' });
    expect((await rig.client.get(id).result()).output).toBe('at 4');
    expect(other.requests).toHaveLength(4);
  });

  test('with another observation shows that to the model and to who reads it', async () => {
    const { run } = await finished();
    model.requests.length = 0;
    const { id } = await run.fork({ step: 4, edits: { '2.1': 'something else', '3.1': { none: true } } });
    const forked = rig.client.get(id);
    const { intermediateSteps } = await forked.result();
    expect(intermediateSteps.map(({ observation }) => observation)).toEqual([
      `1 ${long}`,
      'something else',
      { none: true },
    ]);
    expect(model.requests.map(({ request }) => observed(request))).toEqual([
      ['1', 'something else', '{"none":true}'],
    ]);
    await rig.restart();
    model.requests.length = 0;
    await forked.rewind({ step: 4 });
    const again = await forked.result();
    expect(again.intermediateSteps).toEqual(intermediateSteps);
    expect(model.requests.map(({ request }) => observed(request))).toEqual([
      ['1', 'something else', '{"none":true}'],
    ]);
    const last = (await allOf(forked.requests())).at(-1);
    expect(last && observed(last.request)).toEqual(['1', 'something else', '{"none":true}']);
  });

  test('carries a message on to the model', async () => {
    const { run } = await finished();
    const { id } = await run.fork({ step: 3, say: 'be brief' });
    await rig.client.get(id).result();
    expect(JSON.stringify(await allOf(transcriptsOf(id)))).toContain('be brief');
  });

  test('has the limits it is given', async () => {
    const { run } = await finished();
    const { id } = await run.fork({ step: 2, maxIterations: 2 });
    expect(await rig.client.get(id).result()).toMatchObject({ stopReason: 'max_iterations', iterations: 2 });
  });
});

/** The inputs of a run's model calls. */
async function* transcriptsOf(id: string) {
  const { readFacts } = await import('../../history/read/facts.ts');
  const { runId } = await rig.client.get(id).describe();
  for await (const fact of readFacts(rig.temporal, { workflowId: id, runId })) {
    if (fact.type === 'scheduled' && fact.name === 'callModel') yield { transcript: await fact.input() };
  }
}

test.each([
  ['at a step that is not there', { step: 9 }, /no step 9/u],
  [
    'with another observation of a call that is not there',
    { step: 3, edits: { '7.1': 'x' } },
    /call 7\.1 cannot be edited .*here: 1\.1, 2\.1\)/u,
  ],
  [
    'with another observation of a later call',
    { step: 2, edits: { '2.1': 'x' } },
    /call 2\.1 cannot be edited at step/u,
  ],
  [
    'with an observation that is too long',
    { step: 3, edits: { '2.1': 'x'.repeat(200_000) } },
    /takes 200002 bytes; at most 100000/u,
  ],
  ['with an empty message', { step: 3, say: ' ' }, /message is empty/u],
  ['with an empty model', { step: 3, model: '' }, /model has to be/u],
  ['with the id of a session', { step: 3, id: 'session:x' }, /does not begin with session:/u],
])('a fork %s is refused', async (_what, options, why) => {
  const { run } = await finished();
  await expect(run.fork(options)).rejects.toThrow(why);
});
