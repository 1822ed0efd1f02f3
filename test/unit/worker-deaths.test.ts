import { expect, test } from 'vitest';
import { deathsInARow } from '../../activities/worker-deaths.ts';
import type { Heartbeat } from '../../agent/calls.ts';

test.each<[what: string, attempt: number, record: Heartbeat, deaths: number]>([
  ['a first attempt follows none', 1, {}, 0],
  ['an attempt that left no word died', 3, {}, 2],
  ['one that failed by itself did not', 3, { failures: 2, endedAt: 2 }, 0],
  ['only those since the last that ended by itself are in a row', 6, { failures: 1, endedAt: 3 }, 2],
  ['a worker that was told to end is no death', 4, { endedAt: 3 }, 0],
  ['an earlier version is known by how many failed', 4, { failures: 2 }, 1],
  ['attempts that are counted anew make no negative number', 1, { endedAt: 4 }, 0],
])('counting worker deaths in a row, %s', (_what, attempt, record, deaths) => {
  expect(deathsInARow(attempt, record)).toBe(deaths);
});
