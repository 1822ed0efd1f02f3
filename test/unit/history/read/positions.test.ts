import { describe, expect, test } from 'vitest';
import {
  positionsBelow,
  positionsWithin,
  readPositions,
  writePositions,
} from '../../../../history/read/positions.ts';

const run = '01a1ffac-2540-7242-81dd-be5bf913314c';
const other = '01a1ffb0-dd9a-7532-b7e6-ecd92ed81bf2';
const own = { within: '', runId: run, event: 12, index: 0 };
const below = { within: '3.1', runId: other, event: 5, index: 1 };
const deeper = { within: '3.1/1/2.1~1', runId: other, event: 7, index: 0 };

describe("a reader's position", () => {
  test('is written as one line and read again', () => {
    const text = writePositions([below, own, deeper]);
    expect(text).toBe(`3.1@${other}:5:1,${run}:12:0,3.1/1/2.1~1@${other}:7:0`);
    expect(readPositions(text)).toEqual([below, own, deeper]);
  });

  const broken = ['', '5', `${run}:5`, `${run}:x:0`, `${run}:5:0,`, `a b@${run}:5:0`, `${run}:5:0\n`];
  test.each(broken)('is not read from %j', (text) => {
    expect(readPositions(text)).toBeUndefined();
  });

  test('below a call is written there without the call', () => {
    const there = positionsWithin([own, below, deeper, { ...below, within: '3.10' }], '3.1');
    expect(there.map(({ within }) => within)).toEqual(['', '1/2.1~1']);
    expect(positionsBelow(there, '3.1')).toEqual([below, deeper]);
  });
});
