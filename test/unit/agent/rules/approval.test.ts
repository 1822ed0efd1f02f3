import { afterEach, describe, expect, test, vi } from 'vitest';
import { withApprovals } from '../../../../activities/tool/approval-check.ts';
import { approvedBy, needsApproval } from '../../../../agent/rules/approval.ts';
import { limits } from '../../../../agent/values/limits.ts';
import { defineTool, ToolInputError } from '../../../../adapters/tools/tool.ts';
import { sampleManifest, sampleTool } from '../../../support/manifest.ts';

const approve = (tool: string, toolInput: string, remember: 'tool' | 'input', before: string[] = []) =>
  approvedBy({ type: 'approve', remember }, { tool, toolInput, log: '' }, before) ?? [];
const asks = (tool: string, toolInput: string, approved: readonly string[]) =>
  needsApproval({ tool, toolInput, approval: {} }, approved);
const remembered = (count: number, tool: string, what: 'tool' | 'input', before: string[] = []) =>
  Array.from({ length: count }, (_, n) => n).reduce(
    (approved, n) => approve(what === 'tool' ? `${tool}${n}` : tool, String(n), what, approved),
    before,
  );

describe('an approval that is remembered', () => {
  test('is a tool, whatever its input, or one input of it', () => {
    const approved = approve('mail', 'a', 'input', approve('pay', 'a', 'tool'));
    expect(asks('pay', 'b', approved)).toBe(false);
    expect(asks('mail', 'a', approved)).toBe(false);
    expect(asks('mail', 'b', approved)).toBe(true);
  });

  test('is a tool for good, however many inputs of others come after it', () => {
    expect(asks('pay', 'x', remembered(300, 'mail', 'input', approve('pay', '', 'tool')))).toBe(false);
  });

  test.each(['tool', 'input'] as const)('has a bound: of each kind (%s) the latest hundred', (what) => {
    const approved = remembered(150, 'mail', what);
    expect(approved).toHaveLength(100);
    expect(approved).toEqual(remembered(150, 'mail', what).slice(-100));
  });
});

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
