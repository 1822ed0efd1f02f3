import { expect, test } from 'vitest';
import { defineTool } from '../../adapters/tools/tool.ts';
import { createGate } from '../support/gate.ts';
import { useRig } from '../support/rig.ts';
import { modelOf, toolCall } from '../support/scripts.ts';

const CALLS = 20;
const gate = createGate();

/** Stores as many bytes as its input says, and ends when all calls have. */
const keeps = defineTool({
  name: 'keeps',
  description: 'keeps a checkpoint',
  onFailure: 'observe',
  async run(bytes, { checkpoint }) {
    await checkpoint('x'.repeat(Number(bytes)));
    await gate.pass();
    return 'kept';
  },
});
const model = modelOf((step, { prompt }) => {
  if (step !== '1') return 'done';
  const [, bytes = ''] = /(\d+) bytes/u.exec(JSON.stringify(prompt)) ?? [];
  return {
    text: '',
    toolCalls: Array.from({ length: CALLS }, (_, n) => toolCall('keeps', bytes, `id-${n}`)),
  };
});
const rig = useRig({ agents: [{ name: 'keeper', kind: 'tool-calling', model, tools: [keeps] }] });

test('a checkpoint for which all calls of a turn leave no room is refused, before the server ends the run', async () => {
  const { output, intermediateSteps } = await rig.client.run('keeper', '450000 bytes');
  expect(output).toBe('done');
  const told = /^.*has 450002 bytes as JSON; at most 292000 can be stored.*share 6 MB/u;
  for (const { observation } of intermediateSteps) expect(observation).toMatch(told);
});

test('what the calls of a turn may store fits together', async () => {
  const run = await rig.client.start('keeper', '290000 bytes');
  await gate.reached(CALLS);
  await gate.open();
  const { intermediateSteps } = await run.result();
  expect(intermediateSteps.map(({ observation }) => observation)).toEqual(Array(CALLS).fill('kept'));
});
