import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defineTool } from '../../tools/tool.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { modelOf } from '../support/scripts.ts';

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
const model = modelOf(() => '');
const both = {
  ...model,
  async call(...[request, context]: Parameters<typeof model.call>) {
    const reply = await model.call(request, context);
    if (context.step !== '1') return { ...reply, text: 'done' };
    const toolCalls = ['deaf', 'slow'].map((name) => ({ id: name, name, arguments: '{"__arg1":"x"}' }));
    return { ...reply, toolCalls, finishReason: 'tool_calls' };
  },
};

let rig: Rig;
beforeAll(async () => {
  rig = await startRig({ agents: [{ name: 'a', kind: 'tool-calling', model: both, tools: [deaf, slow] }] });
});
afterAll(() => rig.stop());

test('an attempt that was given up and ends later changes nothing of what the model is told', async () => {
  const result = await rig.client.run('a', 'what?');
  expect(result.intermediateSteps[0]).toMatchObject({ observation: `FRESH${LONG}` });
  const told = JSON.stringify(model.requests.at(-1)?.request.prompt);
  expect(told).toContain('FRESH');
  expect(told).not.toContain('ZOMBIE');
});
