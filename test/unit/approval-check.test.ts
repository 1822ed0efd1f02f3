import { afterEach, expect, test, vi } from 'vitest';
import { withApprovals } from '../../activities/approval-check.ts';
import { limits } from '../../agent/limits.ts';
import { ToolInputError, defineTool } from '../../tools/tool.ts';
import { sampleManifest, sampleTool } from '../support/manifest.ts';

afterEach(() => void vi.useRealTimers());

test('a person is asked where an approval function never says whether to ask', async () => {
  vi.useFakeTimers();
  const asking = approvalOf(() => new Promise<boolean>(() => undefined));
  await vi.advanceTimersByTimeAsync(limits.approvalMs);
  expect(await asking).toMatchObject({
    type: 'act',
    actions: [{ approval: { error: { type: 'ApprovalFailed', message: expect.stringContaining('30 s') } } }],
  });
});

test('a person is asked where an approval function throws what a tool throws for an input', async () => {
  const refuses = () => {
    throw new ToolInputError('from within');
  };
  expect(await approvalOf(refuses)).toMatchObject({
    type: 'act',
    actions: [{ approval: { error: { message: expect.stringContaining('from within') } } }],
  });
});

function approvalOf(approval: () => boolean | Promise<boolean>) {
  const pay = defineTool({ name: 'pay', description: 'pays', approval, run: () => 'paid' });
  const manifest = sampleManifest({ tools: [sampleTool('pay', 'pays', { approval: 'sometimes' })] });
  return withApprovals(
    new Map([['pay', pay]]),
    { type: 'act', actions: [{ tool: 'pay', toolInput: 'x' }] },
    { manifest, call: '3', run: 'run' },
  );
}
