import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ModelError, defineModel } from '../../adapters/models/model.ts';
import { useRig } from '../support/rig.ts';
import { scripted } from '../../features/testing/index.ts';
import { agentTool } from '../../adapters/tools/index.ts';
import { act, answer } from '../support/scripts.ts';

/** Breaks off in its first attempt, and the second one thinks before it writes. */
function breaksOff() {
  let tries = 0;
  return defineModel({
    async call(_request, { onText }) {
      const isFirst = tries++ === 0;
      if (!isFirst) await sleep(1500);
      onText?.(isFirst ? 'the first half' : 'all of it');
      await sleep(2500);
      if (isFirst) throw new ModelError('ModelServerError', 'broke off', { retryable: true });
      const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
      return { text: answer('ok'), toolCalls: [], finishReason: 'stop', usage };
    },
  });
}

const pieces = ['Final ', 'Answer: ', ...Array.from({ length: 10 }, (_, number) => `${number} `)];

/** Writes ten pieces in three seconds: a slow machine has begun to read by then. */
const writesSlowly = defineModel({
  async call(_request, { onText }) {
    for (const piece of pieces) {
      onText?.(piece);
      await sleep(300);
    }
    const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
    return { text: pieces.join(''), toolCalls: [], finishReason: 'stop', usage };
  },
});

const writer = agentTool({ name: 'writer', description: 'writes', agent: 'writes slowly' });

const rig = useRig({
  agents: [
    { name: 'breaks off', model: breaksOff() },
    { name: 'writes slowly', model: writesSlowly },
    { name: 'has it written', model: scripted([act('writer', 'Write.'), answer('ok')]), tools: [writer] },
  ],
});

test('text of a model call that is tried again is never told as that of the next attempt', async () => {
  const run = await rig.client.start('breaks off', 'what?');
  const told: unknown[] = [];
  for await (const event of run.events())
    if (event.type === 'model_text' || event.type === 'attempt_failed')
      told.push([event.type, event.attempt, event.type === 'model_text' ? event.text : event.error.message]);
  expect(told).toEqual([
    ['model_text', 1, 'the first half'],
    ['attempt_failed', 1, 'broke off'],
    ['model_text', 2, 'all of it'],
  ]);
});

test.each([
  ['a worker in the same process', 'writes slowly', undefined],
  ['a sub-agent', 'has it written', '1.1'],
])('text of %s comes piece by piece', async (_, agent, within) => {
  const run = await rig.client.start(agent, 'what?');
  const texts: string[] = [];
  for await (const event of run.events({ subAgents: true }))
    if (event.type === 'model_text' && event.within === within) texts.push(event.text);
  expect(texts.length).toBeGreaterThan(5);
  expect(texts).toEqual(texts.toSorted((a, b) => a.length - b.length));
  expect(pieces.join('').startsWith(texts.at(-1) ?? '?')).toBe(true);
});
