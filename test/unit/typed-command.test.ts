import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { cli } from '../../cli/cli.ts';
import { RunNotFound } from '../../client/errors.ts';
import { reloop } from '../../client/typed-command.ts';
import { fakeIo } from '../support/fake-io.ts';

const folder = mkdtempSync(join(tmpdir(), 'reloop-path-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A PATH of such folders, each with a `reloop` in it. */
function path(...names: string[]): string {
  const folders = names.map((name) => join(folder, name));
  for (const place of folders) {
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'reloop'), '');
  }
  return ['/nowhere', '', ...folders].join(delimiter);
}

describe('a command that is hinted at', () => {
  test.each([
    ['is `reloop` where the shell finds that', path('bin'), 'reloop'],
    ['is `npx reloop` where it does not', '/nowhere', 'npx reloop'],
    ["is `npx reloop` where only npm's own folder has it", path('project/node_modules/.bin'), 'npx reloop'],
    ['is `reloop` where the shell finds it beside that', path('node_modules/.bin', 'bin'), 'reloop'],
    ['is `npx reloop` where there is no PATH', undefined, 'npx reloop'],
  ])('%s', (_, PATH, typed) => {
    expect(reloop({ PATH })).toBe(typed);
  });

  test('is typed so in errors and in the help', async () => {
    vi.stubEnv('PATH', '/nowhere');
    const io = fakeIo();
    await cli(['--help'], io);
    const { message } = new RunNotFound('x');
    vi.unstubAllEnvs();
    expect(message).toContain('`npx reloop list`');
    expect(io.out()).toContain('\n  npx reloop dev  ');
  });
});
