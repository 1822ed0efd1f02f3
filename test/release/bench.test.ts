import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startProgram } from '../support/programs.ts';

/** How fast anything is, is no business of a test. */
test(
  'the bench takes each contestant to the answer and prints a row for it',
  { timeout: 300_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'reloop-bench-test-'));
    const json = join(folder, 'results.json');
    try {
      const bench = startProgram('bench/bench.ts', ['--quick', '--json', json], {});
      expect({ code: await bench.exit, stderr: bench.stderr() }).toMatchObject({ code: 0 });
      const rows = bench.stdout().match(/^[a-z/]+(?= +\d)/gmu);
      const table = ['floor', 'append', 'reloop', 'reloop/floor', 'reloop/append'];
      expect(rows).toEqual([...table, ...table]);
      const { longRuns } = JSON.parse(readFileSync(json, 'utf8')) as { longRuns: object[] }; // of our own program
      const contestants = ['floor', 'append', 'reloop'];
      expect(longRuns).toEqual(
        contestants.map((contestant): unknown =>
          expect.objectContaining({ contestant, steps: 5, stepsTaken: 5 }),
        ),
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
