import { delimiter } from 'node:path';
import { defineConfig } from 'vitest/config';
import { summaryReporter } from './test/support/summary-reporter.ts';

// Commands that are hinted at begin with `reloop` where that is on the PATH, as here.
const commands = new URL('test/support/bin', import.meta.url).pathname;
process.env['PATH'] = commands + delimiter + process.env['PATH'];

/** A test that asserts nothing cannot fail. */
const expect = { requireAssertions: true };

// One project per kind of process; groups run one after another, so that nothing competes with the crash tests.
export default defineConfig({
  test: {
    reporters: ['default', summaryReporter],
    projects: [
      {
        test: {
          name: 'unit',
          expect,
          include: ['test/unit/**/*.test.ts'],
          pool: 'threads',
          // Vitest leaves a processor free, which of two is half; many of these wait for processes of their own.
          maxWorkers: 2,
          testTimeout: 20_000,
          hookTimeout: 20_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'replay',
          expect,
          include: ['test/replay/**/*.test.ts'],
          pool: 'forks',
          testTimeout: 60_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'workflow',
          expect,
          include: ['test/workflow/**/*.test.ts', 'examples/testing/*.test.ts'],
          pool: 'forks',
          globalSetup: ['test/support/global-setup.ts'],
          // They mostly wait for the server that they share.
          maxWorkers: 3,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          name: 'crash',
          expect,
          include: ['test/crash/**/*.test.ts'],
          pool: 'forks',
          // They mostly wait for time-outs; more would compete for the processor.
          maxWorkers: 2,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 4 },
        },
      },
      {
        test: {
          name: 'docs',
          expect,
          include: ['test/docs/**/*.test.ts'],
          pool: 'forks',
          maxWorkers: 2,
          testTimeout: 900_000,
          hookTimeout: 300_000,
          sequence: { groupOrder: 5 },
        },
      },
    ],
  },
});
