import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { cli } from '../../../../cli/cli.ts';
import { checkEnvFile } from '../../../../cli/doctor/check-project.ts';
import { findEnvFile, loadEnvFile, readEnvFile } from '../../../../cli/shell/env-file.ts';
import { fakeIo } from '../../../support/fake-io.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

const folder = tempFolder();
const project = join(folder, 'project');
const file = join(project, '.env');

beforeEach(() => {
  rmSync(project, { recursive: true, force: true });
  mkdirSync(join(project, 'agents/deep'), { recursive: true });
  writeFileSync(join(project, 'package.json'), '{}');
});

describe('a .env', () => {
  test('sets what the environment does not', () => {
    writeFileSync(file, 'KEY=from-file\nSET=from-file\nEMPTY=from-file\n');
    const values = { KEY: 'from-file', SET: 'from-file', EMPTY: 'from-file' };
    const env = { SET: 'real', EMPTY: '', HOME: '/root' };
    expect(loadEnvFile(env, join(project, 'reloop.config.ts'))).toEqual({ file, values, set: ['KEY'] });
    expect(env).toEqual({ SET: 'real', EMPTY: '', HOME: '/root', KEY: 'from-file' });
  });

  test.each([
    ['quotes', `A="x y"\nB='#'`, { A: 'x y', B: '#' }],
    ['comments and empty lines', '# one\n\nA=x # two\n', { A: 'x' }],
    ['values of several lines', 'A="-----\nb=c\n-----"\nB=2', { A: '-----\nb=c\n-----', B: '2' }],
    ['export', 'export A=1', { A: '1' }],
    ['blanks around =', 'A = 1', { A: '1' }],
    ['a mark of the byte order, and lines of Windows', '\uFEFFA=1\r\nB=2\r\n', { A: '1', B: '2' }],
    ['a value that is empty', 'A=\nB=2', { A: '', B: '2' }],
    ['an apostrophe within a value', "A=it's\nB=2", { A: "it's", B: '2' }],
    ['a comment behind quotes', `A="x" # y\nB='z'#`, { A: 'x', B: 'z' }],
    ['quotes in other quotes', `A='say "hi"'\nB="it's"\nC=\`"'\``, { A: 'say "hi"', B: "it's", C: `"'` }],
    ['a # in quotes', 'A="x#y"', { A: 'x#y' }],
    ['a = in a value', 'A=x=y==', { A: 'x=y==' }],
    ['nothing', '', {}],
  ])('may have %s', (_, text, values) => {
    writeFileSync(file, text);
    expect(readEnvFile(file)).toEqual(values);
  });

  const MORE = 'there is more after the closing quote';
  test.each([
    ['is no NAME=value', 'A=1\nsk-secret\nB=2', 'line 2: that is not NAME=value.'],
    ['has a colon', 'A: 1', 'line 1: that is not NAME=value.'],
    ['has no name', '# x\n\n=1', 'line 3: that is not NAME=value.'],
    ['has a # in a value without quotes', 'A=secret#1', 'line 1: a # ends the value'],
    ['has a value that begins with #', 'A=#secret', 'line 1: a # ends the value'],
    ['has NUL in it', 'A=secret\0', 'line 1: that is not NAME=value.'],
    ['forgets a quote before the next value', 'KEY="secret\nURL="https://x/v1"', 'line 1: the quote (")'],
    ['forgets a quote that never ends', 'KEY="secret\nexport B = "\nC=1', 'line 1: the quote (")'],
    ['has text behind its quotes', `A="secret"b"c"`, `line 1: ${MORE} (")`],
    ['has two values', `A='secret' B='b'`, `line 1: ${MORE} (')`],
    ['escapes a quote', 'B=1\nA="secret \\"x\\""', `line 2: ${MORE} (")`],
    ['has an apostrophe in its quotes', "A='it's secret'", `line 1: ${MORE} (')`],
    ['has text behind several lines', 'A="x\ny" secret', `line 2: ${MORE} (")`],
    ['begins with an apostrophe', "A='it's secret\nB=2", `line 1: ${MORE} (')`],
    ['begins a quote that never ends', 'A="x\ny"\nB="secret\nC=1', 'line 3: the quote (") that starts there'],
  ])('is refused by its line if one %s, and the line is not said', (_, text, said) => {
    writeFileSync(file, text);
    const message = expect.stringContaining(`.env, ${said}`);
    expect(() => readEnvFile(file)).toThrow(expect.objectContaining({ name: 'UsageError', message }));
    expect(() => readEnvFile(file)).not.toThrow(/secret/u);
  });

  test('is that of the folder, else of the nearest one above, up to the project', () => {
    writeFileSync(join(folder, '.env'), 'OUTSIDE=1');
    expect(findEnvFile(join(project, 'agents/deep'))).toBeUndefined();
    writeFileSync(file, '');
    expect(findEnvFile(join(project, 'agents/deep'))).toBe(file);
    mkdirSync(join(project, 'agents/deep/.env')); // an environment of Python's
    expect(findEnvFile(join(project, 'agents/deep'))).toBe(file);
    writeFileSync(join(project, 'agents/.env'), '');
    expect(findEnvFile(join(project, 'agents/deep'))).toBe(join(project, 'agents/.env'));
  });
});

describe('every command reads it', () => {
  const commands = [
    ['run', 'a', 'q'],
    ['list'],
    ['session', 'list'],
    ['retry', 'id'],
    ['agents'],
    ['doctor'],
  ];
  test.each(commands)('and says what is wrong with it before anything else: %s', async (...words) => {
    writeFileSync(file, 'oops');
    const io = fakeIo();
    expect(await cli([...words, '--config', join(project, 'reloop.config.mjs')], io)).toBe(2);
    expect(io.err()).toMatch(/^error: .*project\/\.env, line 1: that is not NAME=value\./u);
  });

  test('before the config is loaded, which finds its keys in the environment', async () => {
    writeFileSync(file, 'RELOOP_TEST_AGENT=called-by-env');
    const config = join(project, 'reloop.config.mjs');
    const agent = "{ name: process.env.RELOOP_TEST_AGENT, model: 'm' }";
    writeFileSync(config, `export default { agents: [${agent}] };`);
    const io = { ...fakeIo(), env: process.env };
    vi.stubEnv('RELOOP_TEST_AGENT', undefined);
    expect(await cli(['agents', '--config', config], io)).toBe(0);
    vi.unstubAllEnvs();
    expect(io.out()).toContain('called-by-env');
  });

  test('is listed by doctor with the names that it sets, and those that the environment has set already', () => {
    writeFileSync(file, 'KEY=secret\nSET=secret\n');
    const io = { ...fakeIo(), env: { KEY: 'secret', SET: 'other' } };
    const [check] = checkEnvFile(io, { config: join(project, 'reloop.config.mjs') });
    const said = /project\/\.env sets KEY, SET; the environment has its own SET, which counts$/u;
    expect(check?.found).toMatch(said);
  });
});
