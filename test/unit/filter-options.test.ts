import { describe, expect, test } from 'vitest';
import { moment } from '../../cli/filter-options.ts';

describe('a moment, as typed', () => {
  test.each([
    ['30s', 30_000],
    ['90m', 5_400_000],
    ['1.5h', 5_400_000],
    ['2 d', 172_800_000],
  ])('%s is that long ago', (text, ms) => {
    const before = Date.now();
    const time = moment(text).getTime();
    expect(time).toBeGreaterThanOrEqual(before - ms);
    expect(time).toBeLessThanOrEqual(Date.now() - ms);
  });

  test.each([
    ['2026-11-20', new Date(2026, 10, 20)],
    ['2026-11-20 14:30', new Date(2026, 10, 20, 14, 30)],
    ['2026-11-20T14:30:05', new Date(2026, 10, 20, 14, 30, 5)],
    ['2026-11-20T14:30Z', new Date(Date.UTC(2026, 10, 20, 14, 30))],
    ['2026-11-20T14:30+02:00', new Date(Date.UTC(2026, 10, 20, 12, 30))],
  ])('%s is a time, here where no zone is written', (text, date) => {
    expect(moment(text)).toEqual(date);
  });

  test.each([
    '',
    '1',
    'yesterday',
    '2026',
    '2026-13-01',
    '2026-02-30',
    '2026-11-20T25:00',
    '-1h',
    '20.11.2026',
  ])('"%s" is none', (text) => {
    expect(() => moment(text)).toThrow('Write 30m, 1h, 2d, 2026-11-20 or 2026-11-20T14:30.');
  });
});
