import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { CLOSING_REQUEST, CUT_CALL } from '../../agent/observation/observations.ts';
import { noUsage } from '../../agent/values/vocabulary.ts';
import { ModelError, defineModel } from '../../models/model.ts';
import { defineTool } from '../../tools/tool.ts';
import { useRig, stepsOf, waitOf } from '../support/rig.ts';
import { act, answer, modelOf, promptOf, script } from '../support/scripts.ts';
import { brokenTool } from '../support/sample-tools.ts';

const echo = defineTool({ name: 'echo', description: 'says it again', run: (input) => `echo ${input}` });
const broken = brokenTool('no');
const forever = defineTool({
  name: 'forever',
  description: 'does not end by itself',
  run: (_input, { signal }) => sleep(600_000, 'never', { signal }),
});
const never = defineModel({
  call: async (_request, { signal }) => {
    await sleep(600_000, undefined, { signal });
    throw new Error('unreachable');
  },
});

const tools = [echo, broken, forever];

const generating = script(act('echo', 'a'), act('echo', 'b'), answer('so far: a and b'));
const tight = modelOf((_step, request) => {
  const prompt = promptOf(request);
  if (prompt.length > 6_000) {
    throw new ModelError('ModelContextTooLong', 'too long', { retryable: false });
  }
  return prompt.includes('Observation: small') ? answer('fits') : act('page', String(prompt.length));
});
let pages = 0;
const page = defineTool({
  name: 'page',
  description: 'a page',
  run: () => (pages++ < 3 ? `page ${pages}: ${'x'.repeat(2_500)}` : 'small'),
});
const rig = useRig({
  agents: [
    { name: 'cut-tool', model: script(act('forever', 'x')), tools, maxExecutionTime: 1_000 },
    { name: 'cut-model', model: never, tools, maxExecutionTime: 1_000 },
    { name: 'patient', model: script(act('broken', 'x'), answer('ok')), tools, maxExecutionTime: 2_000 },
    { name: 'generating', model: generating, tools, maxIterations: 2, earlyStopping: 'generate' },
    { name: 'tight', model: tight, tools: [page], maxIterations: 8 },
  ],
});

describe('the time limit', () => {
  test('cuts a running tool call, and the step is recorded as cut', async () => {
    expect(await stepsOf(rig, 'cut-tool')).toMatchObject({
      output: 'Agent stopped due to iteration limit or time limit.',
      stopReason: 'max_execution_time',
      steps: [['1.1', 'forever', CUT_CALL]],
    });
  });

  test('cuts a model call', async () => {
    expect(await stepsOf(rig, 'cut-model')).toMatchObject({
      output: 'Agent stopped due to iteration limit or time limit.',
      stopReason: 'max_execution_time',
      iterations: 0,
      steps: [],
      usage: noUsage,
    });
  });

  test('does not run while a person is waited for', async () => {
    const run = await rig.client.start('patient', 'what?');
    await waitOf(run);
    await sleep(2_500);
    expect(await run.describe()).toMatchObject({ status: 'waiting' });
    await run.decide('1.1', { type: 'retry' });
    await waitOf(run, { n: 1 });
    expect(await run.describe()).toMatchObject({ status: 'waiting', intermediateSteps: [] });
    await run.decide('1.1', { type: 'skip' });
    expect(await run.result()).toMatchObject({ output: 'ok', stopReason: 'final_answer' });
  });
});

describe("at its iteration limit, an agent with earlyStopping 'generate'", () => {
  test('is asked for its answer, and the call is counted but is no iteration', async () => {
    const { output, stopReason, iterations, usage, steps } = await stepsOf(rig, 'generating');
    expect({ output, stopReason, iterations }).toEqual({
      output: 'so far: a and b',
      stopReason: 'max_iterations',
      iterations: 2,
    });
    expect(usage.modelCalls).toBe(3);
    expect(steps).toHaveLength(2);
    const last = generating.requests.at(-1);
    expect(promptOf(last?.request)).toMatch(new RegExp(`echo b\\nThought:\\n\\n${CLOSING_REQUEST}$`, 'u'));
  });
});

test('a context that is too long for the model is shortened once per call, oldest observations first', async () => {
  const run = await rig.client.start('tight', 'what?');
  expect(await run.result()).toMatchObject({ output: 'fits', stopReason: 'final_answer' });
  const shortened: string[] = [];
  for await (const event of run.events()) {
    if (event.type === 'model_ended' && event.turn.shortened === true) shortened.push(event.call);
  }
  expect(shortened.length).toBeGreaterThan(0);
  const asked = tight.requests
    .filter(({ step }) => step === shortened[0])
    .map(({ request }) => promptOf(request));
  expect(asked).toHaveLength(2);
  expect(asked[1]).toContain("[shortened to fit into the model's context: the first 200 of ");
  const rebuilt = new Map<string, string>();
  for await (const { call, ...request } of run.requests({ follow: false })) {
    rebuilt.set(call, promptOf(request.shortened()));
  }
  expect(rebuilt.get(shortened[0] ?? '')).toBe(asked[1]);
});
