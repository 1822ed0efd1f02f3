import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startClock } from '../../../../activities/attempt/attempt.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a clock that is not restarted calls once, with the time that has passed', () => {
  const over = vi.fn<(timeoutMs: number) => void>();
  startClock(1_000, over);
  vi.advanceTimersByTime(999);
  expect(over).not.toHaveBeenCalled();
  vi.advanceTimersByTime(60_000);
  expect(over.mock.calls).toEqual([[1_000]]);
});

test('every restart gives the whole time once more', () => {
  const over = vi.fn<(timeoutMs: number) => void>();
  const clock = startClock(1_000, over);
  for (let second = 0; second < 60; second++) {
    vi.advanceTimersByTime(900);
    clock.restart();
  }
  expect(over).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1_000);
  expect(over).toHaveBeenCalledOnce();
});

test.each([
  { what: 'shorter', nextMs: 100 },
  { what: 'longer', nextMs: 5_000 },
])('a restart may make the time $what, and it stays so', ({ nextMs }) => {
  const over = vi.fn<(timeoutMs: number) => void>();
  const clock = startClock(1_000, over);
  clock.restart(nextMs);
  vi.advanceTimersByTime(nextMs - 1);
  clock.restart();
  vi.advanceTimersByTime(nextMs - 1);
  expect(over).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(over.mock.calls).toEqual([[nextMs]]);
});

const long = [30 * 86_400_000, Number.MAX_SAFE_INTEGER, Infinity];
test.each(long)('a time of %d ms, longer than a timer can count, does not end at once', (timeoutMs) => {
  const over = vi.fn<(timeoutMs: number) => void>();
  const clock = startClock(timeoutMs, over);
  vi.advanceTimersByTime(86_400_000);
  expect(over).not.toHaveBeenCalled();
  clock.stop();
});

test('a stopped clock stays still, whoever restarts it', () => {
  const over = vi.fn<(timeoutMs: number) => void>();
  const clock = startClock(1_000, over);
  clock.stop();
  clock.restart();
  clock.restart(10);
  vi.advanceTimersByTime(60_000);
  expect(over).not.toHaveBeenCalled();
});
