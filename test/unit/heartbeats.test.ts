import { describe, expect, test } from 'vitest';
import { heartbeatInterval } from '../../config/heartbeats-option.ts';
import { usualHeartbeats } from '../../worker/usual-heartbeats.ts';
import { agent, problemOf } from '../support/config.ts';

describe('how often heartbeats are sent', () => {
  test.each([
    ['127.0.0.1:7233', 'lively'],
    ['localhost:7233', 'lively'],
    ['[::1]:7233', 'lively'],
    ['temporal:7233', 'frugal'],
    ['mine.a1b2c.tmprl.cloud:7233', 'frugal'],
    ['localhost.example.com:7233', 'frugal'],
    [undefined, 'frugal'],
  ])('is usually as nobody or somebody pays for it: with the server at %s, %s', (address, mode) => {
    expect(usualHeartbeats(address)).toBe(mode);
  });

  test('is a matter of seconds, below the time-out of ten', () => {
    const intervals = ['lively' as const, 'frugal' as const, { everyMs: 2500 }].map(heartbeatInterval);
    expect(intervals).toEqual([1000, 6000, 2500]);
  });

  test.each(['rare', 5000, {}, { everyMs: 999 }, { everyMs: 8001 }, { everyMs: 2000.5 }, { every: '2s' }])(
    'is refused as %j',
    (heartbeats) => {
      expect(problemOf({ agents: [agent()], heartbeats })).toBe(
        "the config: heartbeats: is none of 'lively', 'frugal' and { everyMs } with milliseconds from 1000 to 8000.",
      );
    },
  );

  test.each(['lively', 'frugal', { everyMs: 1000 }, { everyMs: 8000 }])('may be %j', (heartbeats) => {
    expect(problemOf({ agents: [agent()], heartbeats })).toBe('none');
  });
});
