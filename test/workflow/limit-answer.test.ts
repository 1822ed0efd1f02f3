import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../tools/tool.ts';
import { useRig, waitOf } from '../support/rig.ts';
import { act, modelOf } from '../support/scripts.ts';

const echo = defineTool({ name: 'echo', description: 'e', effects: 'none', run: (input) => `echo ${input}` });

const model = modelOf((step) => act('echo', step));
const output = z.object({ n: z.number() });
const rig = useRig({
  agents: [{ name: 'shaped', model, tools: [echo], onLimit: 'ask', maxIterations: 1, output }],
});

test('a run at its limit takes from a person no answer of another shape than its output has', async () => {
  const run = await rig.client.start('shaped', 'what?');
  await waitOf(run);
  for (const output of ['5', {}, { n: 'five' }, [5]]) {
    await expect(run.decide('2', { type: 'resolve', output })).rejects.toMatchObject({
      name: 'DecisionRefused',
      message: expect.stringContaining("does not fit the agent's output"),
    });
  }
  await run.decide('2', { type: 'resolve', output: { n: 5 } });
  expect(await run.result()).toMatchObject({ output: { n: 5 }, stopReason: 'final_answer' });
});
