import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { WaitingCall } from '../../../../agent/rules/waiting.ts';
import type { RunEvent } from '../../../../agent/run/events.ts';
import { RunView } from '../../../../agent/views/view.ts';
import { createWaitingTeller } from '../../../../client/api/on-waiting.ts';
import { DecisionRefused } from '../../../../client/connect/errors.ts';
import { isForWaiting, resolveTargetCall } from '../../../../client/read/resolve-target.ts';

const wait = (call: string, n = 0): WaitingCall => ({ ...failed, call, n, reason: 'approval' });
const waiting = (call: string, n?: number): RunEvent => ({ at: 0, type: 'waiting', wait: wait(call, n) });
const resumed = (call: string): RunEvent => ({ at: 0, type: 'resumed', call });

/** The calls that a listener is told of, of a run that has come to `past` and then goes on with `more`. */
async function toldOf(past: RunEvent[], more: RunEvent[]): Promise<string[]> {
  const told: string[] = [];
  const view = new RunView('r');
  const { next } = createWaitingTeller(
    ({ call, n }) => told.push(`${call} ${n}`),
    () => Promise.resolve(true),
  );
  for (const event of [...past, { at: 0, type: 'caught_up' } as const, ...more]) {
    view.add(event);
    next(view);
  }
  await Promise.resolve();
  return told;
}

describe('a program is told of a wait', () => {
  test.each<[string, RunEvent[], RunEvent[], string[]]>([
    ['to come', [], [waiting('1.1')], ['1.1 0']],
    ['that lasts', [waiting('1.1')], [], ['1.1 0']],
    ['that is over: not', [waiting('1.1'), resumed('1.1')], [], []],
    ['once, though heard of again', [], [waiting('1/1'), resumed('1/1'), waiting('1/1')], ['1/1 0']],
    ['that lasts once, though heard twice', [waiting('1/1'), resumed('1/1'), waiting('1/1')], [], ['1/1 0']],
    ['and of the next', [], [waiting('1.1'), resumed('1.1'), waiting('1.1', 1)], ['1.1 0', '1.1 1']],
  ])('%s', async (_, past, more, told) => {
    expect(await toldOf(past, more)).toEqual(told);
  });
});

describe('an error that a listener throws', () => {
  const refused = new DecisionRefused('late');
  const other = new RangeError('no');
  test.each<[string, Error, boolean | Error, Error | undefined]>([
    ['ends the reader', other, false, other],
    ['is no matter where a decision is refused on a wait that is over', refused, false, undefined],
    ['ends the reader where the call waits still', refused, true, refused],
    ['ends the reader where nobody can say', refused, new Error('away'), refused],
  ])('%s', async (_, thrown, still, reason) => {
    const { next, signal } = createWaitingTeller(
      () => Promise.reject(thrown),
      () => (still instanceof Error ? Promise.reject(still) : Promise.resolve(still)),
    );
    next({ waiting: [wait('1.1')], isCaughtUp: true });
    await setImmediate();
    expect([signal.aborted, signal.reason]).toEqual([reason !== undefined, reason]);
  });
});

const failed: WaitingCall = { call: '3.1', n: 0, tool: 'pay', toolInput: 'x', reason: 'failed' };
const asking: WaitingCall = { ...failed, call: '3.2', reason: 'approval' };
const within: WaitingCall = { ...failed, call: '3.3/1.1', reason: 'approval' };
const limit: WaitingCall = { ...failed, call: '3.3/2', reason: 'limit' };

describe('a decision that names no call', () => {
  test('means the only call that it fits, in a sub-agent as well', () => {
    expect(resolveTargetCall([failed, asking], 'approve')).toBe('3.2');
    expect(resolveTargetCall([failed, within], 'reject')).toBe('3.3/1.1');
    expect(resolveTargetCall([failed, within, limit], 'stop')).toBe('3.3/2');
  });

  test('means the only call that waits where it fits none, which says what would', () => {
    expect(resolveTargetCall([failed], 'approve')).toBe('3.1');
    expect(resolveTargetCall([failed, asking], 'stop')).toBeUndefined();
    expect(resolveTargetCall([], 'retry')).toBeUndefined();
  });

  test('is refused where it fits several, though the run itself has one of them only', () => {
    expect(() => resolveTargetCall([asking, within], 'approve')).toThrow(
      'approve: say which call. These wait: 3.2, 3.3/1.1.',
    );
  });

  test('is on a call that waits, but for the cancellation of one that runs', () => {
    expect(isForWaiting('approve')).toBe(true);
    expect(isForWaiting('stop')).toBe(true);
    expect(isForWaiting('cancelCall')).toBe(false);
  });
});
