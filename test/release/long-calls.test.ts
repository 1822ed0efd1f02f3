import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { defineModel } from '../../models/model.ts';
import { defineTool } from '../../tools/tool.ts';
import { useRig } from '../support/rig.ts';
import { act, answer, script } from '../support/scripts.ts';

/** Longer than the heartbeat time-out of 10 s and the 5 s more after which the SDK gives a silent attempt up. */
const LONG_MS = 17_000;

const attempts = { nap: 0, thought: 0 };

const nap = defineTool({
  name: 'nap',
  description: 'takes its time',
  async run(_input, { signal }) {
    attempts.nap++;
    return sleep(LONG_MS, 'slept', { signal });
  },
});
const slow = defineModel({
  async call(request, context) {
    attempts.thought++;
    await sleep(LONG_MS, undefined, { signal: context.signal });
    return script(answer('thought for long')).call(request, context);
  },
});

const rig = useRig({
  agents: [
    { name: 'napper', model: script(act('nap', 'now'), answer('rested')), tools: [nap] },
    { name: 'thinker', model: slow },
  ],
});

test('calls that take longer than the heartbeat time-out end in their first attempt', async () => {
  const [napped, thought] = await Promise.all([
    rig.client.run('napper', 'sleep'),
    rig.client.run('thinker', 'think'),
  ]);
  expect(napped).toMatchObject({ output: 'rested', intermediateSteps: [{ observation: 'slept' }] });
  expect(thought).toMatchObject({ output: 'thought for long' });
  expect(attempts).toEqual({ nap: 1, thought: 1 });
});
