import { describe, expect, test } from 'vitest';
import { limits } from '../../agent/values/limits.ts';
import type { AgentRun } from '../../client/index.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { useRig, waitOf } from '../support/rig.ts';
import { act, answer, modelOf, promptOf } from '../support/scripts.ts';

/** Temporal takes 2,000 updates of one execution, and after that no decision either. */
const pay = defineTool({
  name: 'pay',
  description: 'pays',
  approval: 'always',
  run: (input) => `paid ${input}`,
});
const model = modelOf((step, request) =>
  Number(step) < 4 ? act('pay', step) : answer(`told ${promptOf(request).split('word ').length - 1}`),
);
const agents = [{ name: 'payer', model, tools: [pay] }];
const AT_ONCE = 8;

/** Says so many words. Returns the refusals. */
async function sayTo(run: AgentRun, words: number): Promise<string[]> {
  const refused: string[] = [];
  const say = async (n: number) => {
    await run.say(`word ${n}`).catch((error: unknown) => refused.push(String(error)));
  };
  for (let n = 0; n < words; n += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, words - n) }, (_, index) => say(n + index)));
  return refused;
}

describe('a run that waits', () => {
  const rig = useRig({ agents });

  test('takes decisions after any number of messages, and messages again when it continues', async () => {
    const run = await rig.client.start('payer', 'Pay.');
    await waitOf(run, { call: '1.1' });
    const most = limits.wordsWithMessages;
    // The last ones come together with those that are too many.
    const refused = await sayTo(run, most + 5);
    expect(refused).toHaveLength(5);
    for (const words of refused)
      expect(words).toContain(`say: the run has taken ${most} decisions and messages`);
    await run.decide('1.1', { type: 'approve' });
    await waitOf(run, { call: '2.1' });
    await run.decide('2.1', { type: 'approve' });
    await waitOf(run, { call: '3.1' });
    expect(await sayTo(run, 1)).toEqual([]);
    await run.decide('3.1', { type: 'approve' });
    expect((await run.result()).output).toBe(`told ${most + 1}`);
    const events = [];
    for await (const { type } of run.events({ live: false })) events.push(type);
    expect(events.filter((type) => type === 'continued')).toHaveLength(1);
  });
});

describe('a server that takes no more', () => {
  const MOST = 5;
  const server = ['--dynamic-config-value', `history.maxTotalUpdates=${MOST}`];
  const rig = useRig({ agents }, { server });

  test('is told of in words, and the run goes on after a cancel and a retry', async () => {
    const run = await rig.client.start('payer', 'Pay.');
    await waitOf(run, { call: '1.1' });
    expect(await sayTo(run, MOST)).toEqual([]);
    await expect(run.decide('1.1', { type: 'approve' })).rejects.toThrow(
      'as many decisions and messages as the server allows. Nothing was changed.',
    );
    await run.cancel();
    await expect(run.result()).rejects.toThrow();
    await run.retry();
    await waitOf(run, { call: '1.1' });
    await run.decide('1.1', { type: 'approve' });
    for (const call of ['2.1', '3.1']) {
      await waitOf(run, { call });
      await run.decide(call, { type: 'approve' });
    }
    expect((await run.result()).output).toBe(`told ${MOST}`);
  });
});
