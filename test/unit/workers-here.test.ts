import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { staysHere, workerHere } from '../../worker/run-worker.ts';

const here = `${process.pid}@${hostname()}`;

test.each([
  [`reloop dev ${here}`, true],
  [`reloop worker ${here} other.config.ts`, true],
  [`reloop run ${here}`, false],
  // With the project's own config a command is as good; with its own, nobody else has its agents.
  [`reloop program ${here}`, false],
  [`reloop program ${here} scripts/poet.ts`, true],
  [`reloop dev ${process.pid}@another-machine`, false],
  [`reloop dev 999999999@${hostname()}`, false],
  [here, false],
])('the worker "%s" stays: %s', (identity, stays) => {
  expect(staysHere(identity)).toBe(stays);
});

test('an identity says which config a program has', () => {
  expect(workerHere(`reloop program ${here} scripts/poet.ts`)).toEqual({
    role: 'program',
    config: 'scripts/poet.ts',
  });
});
