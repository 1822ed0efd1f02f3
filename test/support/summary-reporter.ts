import type { Reporter, TestModule } from 'vitest/node';
import { type FileTimes, storedTimes, timesOf, writeTimes } from './file-times.ts';

/**
 * Says which files took longest, and alone on the last line of the output how many tests passed and failed. What keeps tests
 * from running at all (a file that does not load, a hook that fails, an error nobody caught) counts as one failure each.
 * UPDATE_TIMES=1 stores the times of the files that ran.
 */
export const summaryReporter: Reporter = {
  onTestRunEnd(modules, unhandledErrors) {
    const times = timesOf(modules);
    const lines = [...slowestLines(times, storedTimes()), summaryLine(modules, unhandledErrors.length)];
    if (process.env['UPDATE_TIMES'] === '1') writeTimes(times);
    // Vitest still reports after this hook: only the end of the process is after everything.
    process.once('exit', () => process.stdout.write(lines.map((line) => `${line}\n`).join('')));
  },
};

const SHOWN = 10;
/** Longest time of a test file, outside the projects whose tests wait for processes to die. */
const LONGEST_SECONDS = 20;
const MAY_BE_LONG = /^test\/(?:crash|docs|release)\//u;

/**
 * The ten longest files of a run of more than ten. That some are too long is a warning and no failure: a machine that is busy
 * with something else must not fail a test, and there most files are.
 */
export function slowestLines(times: FileTimes, stored: FileTimes): string[] {
  const files = Object.entries(times).toSorted(([, a], [, b]) => b - a);
  if (files.length <= SHOWN) return [];
  const slowest = files.slice(0, SHOWN).map(([file, seconds]) => {
    const before = stored[file] === undefined ? 'new' : `${stored[file].toFixed(1)} s stored`;
    return `${seconds.toFixed(1).padStart(7)} s ${file} (${before})`;
  });
  const isTooLong = (file: string, seconds: number) => seconds > LONGEST_SECONDS && !MAY_BE_LONG.test(file);
  const [first, ...others] = files.filter((file) => isTooLong(...file)).map(([file]) => file);
  if (first === undefined) return ['The longest files:', ...slowest];
  const names = others.length === 0 ? first : `${first} and ${others.length} others`;
  const warning = `warning: more than ${LONGEST_SECONDS} s: ${names}. What takes so long on an idle machine belongs into test/release.`;
  return ['The longest files:', ...slowest, warning];
}

function summaryLine(modules: readonly TestModule[], unhandledErrors: number): string {
  const states = modules.flatMap((module) =>
    [...module.children.allTests()].map((test) => test.result().state),
  );
  const count = (...wanted: string[]) => states.filter((state) => wanted.includes(state)).length;
  const failed =
    count('failed') + modules.reduce((sum, module) => sum + brokenSuites(module), 0) + unhandledErrors;
  // A test that was cut off has no result: `pending`.
  const skipped = count('skipped', 'pending');
  return `${count('passed')} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

function brokenSuites(module: TestModule): number {
  return [module, ...module.children.allSuites()].filter((suite) => suite.errors().length > 0).length;
}
