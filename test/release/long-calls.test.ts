import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { defineModel } from '../../adapters/models/model.ts';
import { useRig } from '../support/rig.ts';
import { answer, script } from '../support/scripts.ts';

/** Longer than the heartbeat time-out of 10 s and the 5 s more after which the SDK gives a silent attempt up. */
const LONG_MS = 17_000;

let attempts = 0;
const slow = defineModel({
  async call(request, context) {
    attempts++;
    await sleep(LONG_MS, undefined, { signal: context.signal });
    return script(answer('thought for long')).call(request, context);
  },
});

const rig = useRig({ agents: [{ name: 'thinker', model: slow }] });

test('a model call that takes longer than the heartbeat time-out ends in its first attempt, as tool calls do (heartbeats.test.ts)', async () => {
  expect(await rig.client.run('thinker', 'think')).toMatchObject({ output: 'thought for long' });
  expect(attempts).toBe(1);
});
