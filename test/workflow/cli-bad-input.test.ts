import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { reloop } from '../support/cli.ts';
import { reloopHere } from '../support/reloop-here.ts';

/** What cannot be carried out, and is refused before anything starts: no model is asked, and no worker is there. */
const folder = mkdtempSync(join(tmpdir(), 'reloop-cli-'));
const config = ['--config', 'test/fixtures/configs/cli.config.ts'];
let env: { [name: string]: string };

beforeAll(() => {
  env = {
    OPENAI_BASE_URL: 'http://127.0.0.1:1/v1',
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    TEMPORAL_TASK_QUEUE: `cli-bad-input-${Date.now()}`,
  };
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a command does, where it is not about the process. */
const cli = (args: string[]) => reloopHere(args, env);

/** A command to its end, as a process. */
async function spawned(args: string[], extra: { [name: string]: string } = {}) {
  const command = reloop(args, { ...env, ...extra });
  const code = await command.exit;
  return { code, stdout: command.stdout(), stderr: command.stderr() };
}

describe('bad input', () => {
  const file = (name: string) => ['--config', `test/fixtures/configs/${name}.config.ts`];

  test.each([
    ['an unknown command', ['rnu'], 'rnu'],
    ['an unknown flag', ['run', 'asker', 'sum?', '--fast', ...config], '--fast'],
    ['an unknown agent', ['run', 'nobody', 'sum?', ...config], 'asker'],
    ['no question', ['run', 'asker', ...config], 'question'],
    ['an empty question', ['run', 'asker', ' ', ...config], 'question'],
    ['a missing config', ['run', 'asker', 'sum?', ...file('missing')], 'missing.config.ts'],
    ['an unknown kind', ['agents', ...file('kind')], 'zero-shot'],
    [
      'two tools of one name',
      ['worker', ...file('two-tools')],
      'Two different tools are called "calculator"',
    ],
    [
      'an iteration limit that is none',
      ['run', 'asker', 'sum?', '--max-iterations', 'many', ...config],
      'many',
    ],
    [
      'a budget of money for a model without a price',
      ['run', 'asker', 'sum?', '--budget-cost', '1', ...config],
      "prices: { 'm': { input, output } }",
    ],
    [
      'a budget that is none',
      ['run', 'asker', 'sum?', '--budget-tokens', 'few', ...config],
      'Write a whole number, or none.',
    ],
  ])('%s is one clear line and exit code 2', async (_title, args, word) => {
    const { code, stdout, stderr } = await cli(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(word);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  test('a broken config is one clear line and the place in it, and exit code 2', async () => {
    const { code, stderr } = await spawned(['agents', ...file('broken')]);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^error: .* could not be loaded: this config is broken\n.*broken\.config\.ts:1:7\n/u,
    );
  });

  test('no key and no server to ask is exit code 2 before anything starts', async () => {
    const command = reloop(['run', 'asker', 'sum?', ...config], { RELOOP_STATE_DIR: folder });
    expect(await command.exit).toBe(2);
    expect(command.stderr()).toContain('OPENAI_API_KEY');
  });

  test('a server that does not answer is exit code 5, and no other is used', async () => {
    const { code, stdout, stderr } = await spawned(['run', 'asker', 'sum?', ...config], {
      TEMPORAL_ADDRESS: '127.0.0.1:1',
    });
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toContain('127.0.0.1:1');
  });
});
