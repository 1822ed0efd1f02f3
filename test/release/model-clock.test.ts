import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type ModelCallContext, type ModelRequest, defineModel } from '../../adapters/models/model.ts';
import { useRig } from '../support/rig.ts';
import { answer, script } from '../support/scripts.ts';

/** Whoever keeps to it says nothing for longer than this; the whole reply takes several times as long. */
const SILENCE_MS = 1_500;

const calls = { talking: 0, alive: 0, deaf: 0 };

/** A model that takes six times 500 ms and says `piece` between. */
function slowly(name: 'talking' | 'alive', piece: string) {
  return defineModel({
    async call(request: ModelRequest, context: ModelCallContext) {
      calls[name]++;
      for (let turn = 0; turn < 6; turn++) {
        await sleep(500, undefined, { signal: context.signal });
        context.onText(piece);
      }
      return script(answer(`from the ${name} one`)).call(request, context);
    },
  });
}
const deaf = defineModel({
  call() {
    calls.deaf++;
    return new Promise(() => undefined);
  },
});

const rig = useRig({
  agents: [
    { name: 'talking', model: slowly('talking', 'word '), tools: [], requestTimeout: SILENCE_MS },
    { name: 'alive', model: slowly('alive', ''), tools: [], requestTimeout: SILENCE_MS },
    {
      name: 'deaf',
      model: deaf,
      tools: [],
      requestTimeout: 300,
      modelRetry: { maxAttempts: 2 },
      onModelFailure: 'fail',
    },
  ],
});

test.each(['talking', 'alive'] as const)(
  'a model that is %s may take longer than requestTimeout: it is asked once',
  async (name) => {
    expect(await rig.client.run(name, 'go on')).toMatchObject({ output: `from the ${name} one` });
    expect(calls[name]).toBe(1);
  },
);

test('a model that is silent for requestTimeout is asked again, as often as after any failure, and then the run fails', async () => {
  await expect(rig.client.run('deaf', 'hello?')).rejects.toMatchObject({
    type: 'ModelTimeout',
    message: expect.stringContaining('for 0.3 s. If it needs longer, raise requestTimeout.'),
  });
  expect(calls.deaf).toBe(2);
});
