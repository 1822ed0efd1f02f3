import { delimiter } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';
import { summaryReporter } from './test/support/summary-reporter.ts';

// Commands that are hinted at begin with `reloop` where that is on the PATH, as here.
const commands = new URL('test/support/bin', import.meta.url).pathname;
process.env['PATH'] = commands + delimiter + process.env['PATH'];

// What commands remember of configs for TAB is not the developer's own.
process.env['XDG_STATE_HOME'] = new URL('node_modules/.cache/reloop-tests', import.meta.url).pathname;

/** A test that asserts nothing cannot fail; what is waited for may take its time where others are at work too. */
const expect = { requireAssertions: true, poll: { timeout: 30_000 } };

/**
 * Files at once, of any project: on two processors some compute while others wait for a server, a process or a time-out.
 * They are one group, so that the next file begins where one has ended, whatever its project.
 */
const maxWorkers = 4;

// One project per kind of process. `npm test` leaves out `release`: what takes minutes, or needs a server of its own, npm, a browser, Python or a search engine.
export default defineConfig({
  test: {
    reporters: ['default', summaryReporter],
    maxWorkers,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          expect,
          include: ['test/unit/**/*.test.ts'],
          pool: 'threads',
          isolate: false,
          setupFiles: ['test/support/fresh-environment.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'simulation',
          expect,
          include: ['test/simulation/**/*.test.ts'],
          pool: 'forks',
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: 'replay',
          expect,
          include: ['test/replay/**/*.test.ts'],
          pool: 'forks',
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: 'workflow',
          expect,
          include: ['test/workflow/**/*.test.ts', 'examples/testing/*.test.ts'],
          pool: 'forks',
          isolate: false,
          setupFiles: ['test/support/fresh-environment.ts', 'test/support/fresh-runtime.ts'],
          // The SDK runs workflows in the test's own thread, whose code is compiled once, and not in a new thread for each worker. Commands do not get it.
          env: { TEMPORAL_DEBUG: '1' },
          globalSetup: ['test/support/global-setup.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'crash',
          expect,
          include: ['test/crash/**/*.test.ts'],
          pool: 'forks',
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: 'release',
          expect,
          include: ['test/release/**/*.test.ts'],
          pool: 'forks',
          globalSetup: ['test/support/global-setup.ts'],
          testTimeout: 900_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
