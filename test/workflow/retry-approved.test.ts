import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { WaitingReason } from '../../agent/rules/wait-reasons.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { defineTool } from '../../tools/tool.ts';
import { useRig } from '../support/rig.ts';
import { act, answer, modelOf } from '../support/scripts.ts';

let broken = true;
let made: string[] = [];
const pay = { name: 'pays', description: 'pays', approval: 'always', retry: { maxAttempts: 1 } } as const;
function payment(input: string): string {
  made.push(input);
  if (broken) throw new Error('the bank is closed');
  return `paid ${input}`;
}
const pays = defineTool({ ...pay, run: payment });
const paysOnce = defineTool({ ...pay, name: 'paysOnce', effects: 'once', run: payment });

const once = (tool: string) => modelOf((step) => (step === '1' ? act(tool, 'in') : answer('ok')));

const rig = useRig({
  agents: [
    { name: 'pays', model: once('pays'), tools: [pays] },
    { name: 'paysOnce', model: once('paysOnce'), tools: [paysOnce] },
  ],
});
beforeEach(() => {
  broken = true;
  made = [];
});

/** Waits until the call waits for this reason, and gives what it waits with. */
async function waitsFor(run: AgentRun, reason: WaitingReason): Promise<unknown> {
  const { waiting } = await vi.waitUntil(
    async () => {
      const report = await run.describe();
      return report.waiting[0]?.reason === reason ? report : undefined;
    },
    { timeout: 20_000 },
  );
  return waiting[0]?.toolInput;
}

async function aborted(run: AgentRun): Promise<void> {
  await run.decide('1.1', { type: 'abort' });
  await expect(run.result()).rejects.toThrow('Aborted');
}

describe('the retry of a run whose call a person had approved', () => {
  test('keeps the input that was approved, and asks nobody for it, however often it is retried', async () => {
    const run = await rig.client.start('pays', 'pay');
    expect(await waitsFor(run, 'approval')).toBe('in');
    await run.decide('1.1', { type: 'approve', input: '400' });
    for (const _ of [1, 2]) {
      expect(await waitsFor(run, 'failed')).toBe('400');
      await aborted(run);
      await run.retry();
    }
    await waitsFor(run, 'failed');
    expect(made).toEqual(['400', '400', '400']);
    await aborted(run);
  });

  test('keeps an input that the call was retried with, and asks for it', async () => {
    const run = await rig.client.start('pays', 'pay');
    await waitsFor(run, 'approval');
    await run.decide('1.1', { type: 'approve' });
    await waitsFor(run, 'failed');
    await run.decide('1.1', { type: 'retry', input: '300' });
    await vi.waitUntil(() => made.length === 2);
    await waitsFor(run, 'failed');
    await aborted(run);
    await run.retry();
    expect(await waitsFor(run, 'approval')).toBe('300');
    broken = false;
    await run.decide('1.1', { type: 'approve' });
    await run.result();
    expect(made).toEqual(['in', '300', '300']);
  });

  test('asks for an input that the retry brings, and keeps it', async () => {
    const run = await rig.client.start('pays', 'pay');
    await waitsFor(run, 'approval');
    await run.decide('1.1', { type: 'approve' });
    await waitsFor(run, 'failed');
    await aborted(run);
    for (const options of [{ call: '1.1', input: '9000' }, {}]) {
      await run.retry(options);
      expect(await waitsFor(run, 'approval')).toBe('9000');
      await aborted(run);
    }
    expect(made).toEqual(['in']);
  });

  test('asks about the payment that is in doubt, not about what the model had wanted', async () => {
    const run = await rig.client.start('paysOnce', 'pay');
    await waitsFor(run, 'approval');
    await run.decide('1.1', { type: 'approve', input: '400' });
    await waitsFor(run, 'doubt');
    await aborted(run);
    await run.retry();
    expect(await waitsFor(run, 'repeated')).toBe('400');
    await aborted(run);
    expect(made).toEqual(['400']);
  });

  test('asks again where a rewind has dropped what was approved', async () => {
    const run = await rig.client.start('pays', 'pay');
    await waitsFor(run, 'approval');
    await run.decide('1.1', { type: 'approve' });
    await waitsFor(run, 'failed');
    await run.rewind({ step: 1 });
    await waitsFor(run, 'approval');
    await aborted(run);
    await run.retry();
    expect(await waitsFor(run, 'approval')).toBe('in');
    expect(made).toEqual(['in']);
    await aborted(run);
  });
});
