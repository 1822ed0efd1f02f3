import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { defineTool } from '../../adapters/tools/tool.ts';
import { useRig } from '../support/rig.ts';
import { modelOf, toolCall } from '../support/scripts.ts';

/** Too long to travel with the model call, so that it is referred to. */
const LONG = ' '.repeat(1000);

let firstEnded: () => void;
const firstHasEnded = new Promise<void>((resolve) => (firstEnded = resolve));

const deaf = defineTool({
  name: 'deaf',
  description: 'does not hear that its time is over',
  timeout: 300,
  retry: { initialInterval: 20 },
  async run(_input, { attempt }) {
    if (attempt > 1) return `FRESH${LONG}`;
    await sleep(1500);
    firstEnded();
    return `ZOMBIE${LONG}`;
  },
});
const slow = defineTool({
  name: 'slow',
  description: 'keeps the turn open until the given-up attempt has ended',
  async run() {
    await firstHasEnded;
    await sleep(100);
    return 'slow';
  },
});
const model = modelOf((step) =>
  step === '1' ? { toolCalls: ['deaf', 'slow'].map((name) => toolCall(name)) } : 'done',
);

const rig = useRig({ agents: [{ name: 'a', kind: 'tool-calling', model, tools: [deaf, slow] }] });

test('an attempt that was given up and ends later changes nothing of what the model is told', async () => {
  const result = await rig.client.run('a', 'what?');
  expect(result.intermediateSteps[0]).toMatchObject({ observation: `FRESH${LONG}` });
  const told = JSON.stringify(model.requests.at(-1)?.request.prompt);
  expect(told).toContain('FRESH');
  expect(told).not.toContain('ZOMBIE');
});
