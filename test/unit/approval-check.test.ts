import { afterEach, expect, test, vi } from 'vitest';
import { withApprovals } from '../../activities/approval-check.ts';
import { limits } from '../../agent/limits.ts';
import { defineTool } from '../../tools/tool.ts';
import { sampleManifest, sampleTool } from '../support/manifest.ts';

afterEach(() => void vi.useRealTimers());

test('a person is asked where an approval function never says whether to ask', async () => {
  vi.useFakeTimers();
  const pay = defineTool({
    name: 'pay',
    description: 'pays',
    approval: () => new Promise<boolean>(() => undefined),
    run: () => 'paid',
  });
  const decided = {
    manifest: sampleManifest({ tools: [sampleTool('pay', 'pays', { approval: 'sometimes' })] }),
    call: '3',
    run: 'run',
  };
  const asking = withApprovals(
    new Map([['pay', pay]]),
    { type: 'act', actions: [{ tool: 'pay', toolInput: 'x' }] },
    decided,
  );
  await vi.advanceTimersByTimeAsync(limits.approvalMs);
  const error = {
    type: 'ApprovalFailed',
    message: expect.stringContaining('did not say whether to ask within 30 s'),
  };
  expect(await asking).toMatchObject({ type: 'act', actions: [{ tool: 'pay', approval: { error } }] });
});
