import { describe, expect, test } from 'vitest';
import type { WaitingCall } from '../../agent/events.ts';
import { isForWaiting, meantCall } from '../../client/meant-call.ts';

const failed: WaitingCall = { call: '3.1', n: 0, tool: 'pay', toolInput: 'x', reason: 'failed' };
const asking: WaitingCall = { ...failed, call: '3.2', reason: 'approval' };
const within: WaitingCall = { ...failed, call: '3.3/1.1', reason: 'approval' };
const limit: WaitingCall = { ...failed, call: '3.3/2', reason: 'limit' };

describe('a decision that names no call', () => {
  test('means the only call that it fits, in a sub-agent as well', () => {
    expect(meantCall([failed, asking], 'approve')).toBe('3.2');
    expect(meantCall([failed, within], 'reject')).toBe('3.3/1.1');
    expect(meantCall([failed, within, limit], 'stop')).toBe('3.3/2');
  });

  test('means the only call that waits where it fits none, which says what would', () => {
    expect(meantCall([failed], 'approve')).toBe('3.1');
    expect(meantCall([failed, asking], 'stop')).toBeUndefined();
    expect(meantCall([], 'retry')).toBeUndefined();
  });

  test('is refused where it fits several, though the run itself has one of them only', () => {
    expect(() => meantCall([asking, within], 'approve')).toThrow(
      'approve: say which call. These wait: 3.2, 3.3/1.1.',
    );
  });

  test('is on a call that waits, but for the cancellation of one that runs', () => {
    expect(isForWaiting('approve')).toBe(true);
    expect(isForWaiting('stop')).toBe(true);
    expect(isForWaiting('cancelCall')).toBe(false);
  });
});
