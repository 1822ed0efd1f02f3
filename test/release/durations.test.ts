import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

test('calls of 1 and 5 s end as they should, whatever their kind, end and reader', async () => {
  const main = join(root, 'test/durations/main.ts');
  const { stdout, exitCode } = await execa(process.execPath, ['--import', 'tsx', main, '--up-to', '5'], {
    cwd: root,
    reject: false,
    env: { NODE_ENV: '' },
  });
  if (exitCode !== 0) console.error(stdout);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/\n\d{3} cells, 0 wrong/u);
});
