import type { Reporter, TestModule } from 'vitest/node';

/**
 * Says how many tests passed and failed, alone on the last line of the output. What keeps tests from running at all (a
 * file that does not load, a hook that fails, an error nobody caught) counts as one failure each.
 */
export const summaryReporter: Reporter = {
  onTestRunEnd(modules, unhandledErrors) {
    const line = summaryLine(modules, unhandledErrors.length);
    // Vitest still reports after this hook: only the end of the process is after everything.
    process.once('exit', () => process.stdout.write(`${line}\n`));
  },
};

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
