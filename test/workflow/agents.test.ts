import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { RunEvent } from '../../agent/run/events.ts';
import { asText, noUsage } from '../../agent/values/vocabulary.ts';
import { ToolError, defineTool } from '../../adapters/tools/tool.ts';
import { eventOf, stepsOf, useRig, waitOf } from '../support/rig.ts';
import { act, answer, modelOf, promptOf, script } from '../support/scripts.ts';

/** Agents in a worker, where examples.test.ts, parity.test.ts and the control paths do not have them already. */
const sorry = defineTool({
  name: 'sorry',
  description: 's',
  returnDirect: true,
  run: () => Promise.reject(new ToolError('no such city')),
});
const big = defineTool({ name: 'big', description: 'b', run: () => 'é'.repeat(3_000_000) });
let isBroken = true;
const picky = defineTool({
  name: 'picky',
  description: 'has a rule that no JSON Schema says',
  retry: { maxAttempts: 1 },
  input: z.object({ city: z.string().refine((city) => city !== 'nowhere', 'no such city') }),
  run({ city }) {
    if (isBroken) throw new Error('broken');
    return `sunny in ${city}`;
  },
});
const forgetful = modelOf((step, request) =>
  promptOf(request).includes('does not fit the schema')
    ? answer('```json\n{"city": "Oslo", "degrees": "21"}\n```')
    : answer(step === '1' ? 'It is warm.' : '{"city": 5}'),
);
const forecast = z.object({ city: z.string(), degrees: z.coerce.number() });
const throwing = script('hm');
const cold = script(answer('42'));
const warm = script(answer('43'));
const tools = [sorry, big, picky];

const heard: { event: RunEvent; id: string; runId: string }[] = [];
let isFull = false;
const rig = useRig({
  cache: true,
  agents: [
    { name: 'plain', model: script(answer('done')), tools },
    { name: 'verbose', model: script(answer('y'.repeat(300_000))), tools },
    { name: 'sorry', model: script(act('sorry', 'x')), tools },
    { name: 'big', model: script(act('big', 'x')), tools },
    { name: 'picky', model: script(act('picky', '{"city": "Oslo"}')), tools },
    { name: 'forecaster', model: forgetful, output: forecast },
    { name: 'named', model: script(answer('ok')), prompt: { prefix: 'You are {who}.' } },
    {
      name: 'throwing',
      model: throwing,
      parser() {
        throw new RangeError('oops');
      },
    },
    { name: 'cold', model: cold, temperature: 0 },
    { name: 'warm', model: warm, temperature: 0.7 },
  ],
  onEvent(event, { id, runId }) {
    if (isFull) throw new Error('the log is full');
    heard.push({ event, id, runId });
  },
});

describe('a run', () => {
  test('started twice under one id is one run', async () => {
    const first = await rig.client.start('plain', 'what?', { id: 'twice' });
    const second = await rig.client.start('plain', 'other?', { id: 'twice' });
    expect(await second.result()).toEqual(await first.result());
    expect((await second.describe()).input).toBe('what?');
  });

  test.each(['', ' ', 'a\nb', 'x'.repeat(901)])('is not started under the id %j', async (id) => {
    await expect(rig.client.start('plain', 'what?', { id })).rejects.toMatchObject({ name: 'InvalidInput' });
  });

  test('returns what a tool that returns directly refuses', async () => {
    const ends = { output: 'no such city', stopReason: 'return_direct', iterations: 1 };
    expect(await rig.client.run('sorry', 'what?')).toMatchObject(ends);
  });

  test('cuts an output of 6 MB visibly', async () => {
    const { intermediateSteps } = await rig.client.run('big', 'what?');
    expect(asText(intermediateSteps[0]?.observation ?? '')).toMatch(
      /\[cut: the first 100000 of 3000000 characters\]$/u,
    );
  });

  test('cuts an answer that is too long to be recorded, with a warning', async () => {
    const run = await rig.client.start('verbose', 'tell me');
    const { turn } = await eventOf(run.events(), 'model_ended');
    expect(turn).toMatchObject({
      finishReason: 'length',
      warnings: ['the reply was cut: at most 256000 bytes of it can be recorded'],
    });
    expect(await run.result()).toMatchObject({ output: expect.stringMatching(/^y+$/u) });
  });

  test("waits again at a person's input that only the tool itself can find wrong, and the model is not told", async () => {
    const run = await rig.client.start('picky', 'what?');
    await waitOf(run);
    isBroken = false;
    await run.decide('1.1', { type: 'retry', input: { city: 'nowhere' } });
    const { error } = await waitOf(run, { n: 1 });
    expect(error).toMatchObject({ type: 'ToolInputError', message: expect.stringContaining('no such city') });
    await run.decide('1.1', { type: 'retry', input: { city: 'Bergen' } });
    expect((await run.result()).intermediateSteps).toMatchObject([{ observation: 'sunny in Bergen' }]);
  });
});

test('an agent with an output schema is asked again until its answer fits; every time is an iteration', async () => {
  const { output, iterations, steps } = await stepsOf(rig, 'forecaster');
  expect({ output, iterations }).toEqual({ output: { city: 'Oslo', degrees: 21 }, iterations: 2 });
  expect(steps).toEqual([['1.1', '_Exception', expect.stringContaining('it is not JSON')]]);
  expect(promptOf(forgetful.requests[0]?.request)).toContain('"required":["city","degrees"]');
});

test('variables fill names once, and fail the run before the model is asked where no text has a place for one', async () => {
  const run = await rig.client.start('named', 'what?', { variables: { who: '{tools}' } });
  await run.result();
  for await (const { request } of run.requests({ follow: false }))
    expect(promptOf(request)).toContain('You are {tools}.');
  const unknown = rig.client.run('named', 'what?', { variables: { who: 'Ada', mod: 'x' } });
  await expect(unknown).rejects.toMatchObject({ type: 'UnknownVariable', report: { usage: noUsage } });
});

test('a parser that throws fails the run at once: no further call is paid', async () => {
  await expect(rig.client.run('throwing', 'what?')).rejects.toMatchObject({
    type: 'RangeError',
    message: expect.stringContaining('Agent "throwing": its kind zero-shot, its parser or its output schema'),
  });
  expect(throwing.requests).toHaveLength(1);
});

test('a cache answers an identical request at temperature 0, and that costs nothing', async () => {
  const used = [];
  for (const question of ['what?', 'what?', 'who?'])
    used.push((await rig.client.run('cold', question)).usage);
  expect(used.map(({ modelCalls }) => modelCalls)).toEqual([1, 0, 1]);
  expect(used[1]).toEqual(noUsage);
  await rig.client.run('warm', 'what?');
  await rig.client.run('warm', 'what?');
  expect([cold.requests.length, warm.requests.length]).toEqual([2, 2]);
});

describe('the listener of a worker', () => {
  test('hears of each event once, with the run that it is of, and of its end', async () => {
    const failed = await rig.client.start('throwing', 'why?');
    await expect(failed.result()).rejects.toThrow();
    const own = () => heard.filter(({ id }) => id === failed.id);
    // The worker tells of the end after the end is recorded.
    await expect
      .poll(() => own().map(({ event }) => event.type))
      .toEqual(['run_started', 'model_started', 'model_failed', 'run_ended']);
    expect(own().at(-1)?.event).toMatchObject({ status: 'failed', error: { type: 'RangeError' } });
    const { runId } = await failed.describe();
    expect(own().map((one) => one.runId)).toEqual(own().map(() => runId));
  });

  test('that throws harms nothing', async () => {
    isFull = true;
    expect(await rig.client.run('plain', 'what?')).toMatchObject({ output: 'done' });
  });
});
