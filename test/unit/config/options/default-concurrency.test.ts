import { execa } from 'execa';
import { expect, test } from 'vitest';
import { defaultConcurrency } from '../../../../config/options/concurrency-option.ts';

const MB = 2 ** 20;

test.each([
  { memory: 128 * MB, calls: 100 },
  { memory: 512 * MB, calls: 524 },
  { memory: 1024 * MB, calls: 1548 },
  { memory: 64 * 1024 * MB, calls: 2000 },
])('a worker with $memory bytes of memory makes $calls calls at a time', ({ memory, calls }) => {
  expect(defaultConcurrency(memory)).toBe(calls);
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
