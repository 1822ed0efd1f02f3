import { execa } from 'execa';
import { expect, test } from 'vitest';
import { cachedRuns, defaultConcurrency } from '../../../../config/options/concurrency-option.ts';

const MB = 2 ** 20;

test.each([
  { memory: 128 * MB, calls: 100 },
  { memory: 512 * MB, calls: 524 },
  { memory: 1024 * MB, calls: 1548 },
  { memory: 64 * 1024 * MB, calls: 2000 },
])('a worker with $memory bytes of memory makes $calls calls at a time', ({ memory, calls }) => {
  expect(defaultConcurrency(memory)).toBe(calls);
});

test.each([
  { heap: 128 * MB, runs: 10 },
  { heap: 1024 * MB, runs: 482 },
  { heap: 4144 * MB, runs: 1000 },
])('a worker with a heap of $heap bytes keeps $runs runs in memory', ({ heap, runs }) => {
  expect(cachedRuns(heap)).toBe(runs);
});

test('a limit of the heap is a limit of the calls', async () => {
  const print =
    "import { defaultConcurrency } from './config/options/concurrency-option.ts'; console.log(defaultConcurrency());";
  const calls = async (heapMB: number) => {
    const args = [
      `--max-old-space-size=${heapMB}`,
      '--import',
      'tsx',
      '--input-type=module',
      '--eval',
      print,
    ];
    return Number((await execa(process.execPath, args)).stdout);
  };
  const [small, large] = [await calls(200), await calls(400)];
  expect(small).toBeGreaterThan(100);
  expect(small).toBeLessThan(large);
});
