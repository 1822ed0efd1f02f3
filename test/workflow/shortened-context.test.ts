import { expect, test } from 'vitest';
import { ModelError } from '../../adapters/models/model.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { useRig } from '../support/rig.ts';
import { act, answer, modelOf, promptOf } from '../support/scripts.ts';

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
const rig = useRig({ agents: [{ name: 'tight', model: tight, tools: [page], maxIterations: 8 }] });

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
