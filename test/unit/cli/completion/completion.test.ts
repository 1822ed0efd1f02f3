import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { cli } from '../../../../cli/cli.ts';
import { completionContext } from '../../../../cli/completion/candidates.ts';
import { forBash, readCommandLine } from '../../../../cli/completion/command-line.ts';
import { createProgram } from '../../../../cli/program.ts';
import { root } from '../../../support/cli.ts';
import { fakeIo } from '../../../support/fake-io.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { runStatuses } from '../../../../client/read/run-filters.ts';
import { onTerminal } from '../../../support/typing.ts';

const program = createProgram(fakeIo(), '0', () => undefined);

function wanted(line: string) {
  const { words, current } = readCommandLine(line);
  return completionContext(program, words.slice(1), current);
}

function wordsFor(line: string): string[] {
  const place = wanted(line);
  return place.wanted.type === 'words' ? place.wanted.words.map(({ word }) => word) : [];
}

describe('a command line', () => {
  test.each([
    ['reloop show a', ['reloop', 'show'], 'a'],
    ['reloop show ', ['reloop', 'show'], ''],
    ['reloop show order:5', ['reloop', 'show'], 'order:5'],
    ["reloop show 'two wor", ['reloop', 'show'], 'two wor'],
    ['reloop show two\\ wor', ['reloop', 'show'], 'two wor'],
    ['reloop say "a \\"b\\" c" d', ['reloop', 'say', 'a "b" c'], 'd'],
    ['cd x && reloop li', ['reloop'], 'li'],
  ])('%j is read as a shell reads it', (line, words, current) => {
    expect(readCommandLine(line)).toMatchObject({ words, current });
  });

  test.each([
    ['reloop show ', 'two words', 'two\\ words'],
    ["reloop show 'two", "two 'words'", "two '\\''words'\\''"],
    ['reloop show order:', 'order:5 x', '5\\ x'],
    ['reloop list --status=', '--status=waiting', 'waiting'],
  ])('%j gets %j in the way bash puts it there', (line, word, put) => {
    expect(forBash(word, readCommandLine(line), ' \t\n"\'><=;|&(:')).toBe(put);
  });
});

describe('a word at the cursor', () => {
  test('may be any command of the program, but those that are hidden', () => {
    const commands = program.commands.map((command) => command.name()).filter((name) => name !== 'complete');
    expect(wordsFor('reloop ').toSorted()).toEqual([...commands, 'help'].toSorted());
    expect(wordsFor('reloop help ').toSorted()).toEqual(commands.toSorted());
  });

  test.each([
    ['reloop retry ', { type: 'runs', which: { of: 'waiting', command: 'retry' } }],
    ['reloop approve r1 ', { type: 'calls', run: 'r1', command: 'approve' }],
    ['reloop say ', { type: 'runs', which: { of: 'open' } }],
    ['reloop cancel --reason "no more" ', { type: 'runs', which: { of: 'open' } }],
    ['reloop show --json ', { type: 'runs', which: { of: 'any' } }],
    ['reloop fork ', { type: 'runs', which: { of: 'any' } }],
    ['reloop chat ', { type: 'agents' }],
    ['reloop list --agent ', { type: 'agents' }],
    ['reloop eval show ', { type: 'evals', words: [] }],
    ['reloop eval add r1 ', { type: 'evals', words: [] }],
    ['reloop run a --session ', { type: 'names', of: 'session' }],
    ['reloop session show ', { type: 'names', of: 'session' }],
    ['reloop show r1 --config ', { type: 'files' }],
  ])('is a name that is looked up, for %j', (line, names) => {
    expect(wanted(line).wanted).toEqual(names);
  });

  test('is a command of evals, or the name of one', () => {
    const words = ['run', 'show', 'add'].map((word) => expect.objectContaining({ word }) as unknown);
    expect(wanted('reloop eval ').wanted).toEqual({ type: 'evals', words });
  });

  test.each([
    ['reloop completion ', ['bash', 'zsh', 'fish']],
    ['reloop session ', ['list', 'show', 'clear']],
    ['reloop approve r1 --remember ', ['tool', 'input']],
    ['reloop list --status ', runStatuses],
    ['reloop run a "what?" ', []],
  ])('is a word of the program, for %j', (line, words) => {
    expect(wordsFor(line)).toEqual(words);
  });

  test('is the value after option=, and the options of the command after a dash', () => {
    expect(wanted('reloop list --status=').prefix).toBe('--status=');
    expect(wordsFor('reloop rewind x --')).toContain('--step');
    const place = wanted('reloop show --config a.ts --address h:1 ');
    expect(place).toMatchObject({ config: 'a.ts', address: 'h:1' });
  });
});

/** Real shells in a project whose agents are known already; no server is up, and none is started. */
const project = tempFolder();
const path = `${project}:${process.env['PATH'] ?? ''}`;
const env = { PATH: path, XDG_STATE_HOME: join(project, 'state'), HOME: project };

const has = (shell: string) => spawnSync(shell, ['--version']).status === 0;
const unless = (shell: string) => (has(shell) ? '' : ` (skipped: ${shell} is not installed)`);

// Each TAB is a process, and a busy machine takes its time.
vi.setConfig({ testTimeout: 90_000 });

beforeAll(() => {
  const config = join(project, 'reloop.config.mjs');
  writeFileSync(config, 'throw new Error("no TAB loads a config whose agents are known")');
  writeFileSync(join(project, 'package.json'), '{}');
  const agents = ['team:sales europe', 'team:support'].map((word) => ({ word, about: 'answers' }));
  const { mtimeMs } = statSync(config);
  mkdirSync(join(project, 'state/reloop'), { recursive: true });
  const known = JSON.stringify({ [config]: { mtimeMs, agents } });
  writeFileSync(join(project, 'state/reloop/completion.json'), known);
  const command = join(project, 'reloop');
  writeFileSync(command, `#!/bin/sh\nexec ${process.execPath} ${join(root, 'dist/cli/main.js')} "$@"\n`);
  chmodSync(command, 0o755);
});

test('bash completes commands, options with =, files, and names with a colon and a blank', async () => {
  const bash = onTerminal(['bash', '--norc', '--noprofile', '-i'], { env, cwd: project, columns: 120 });
  bash.type('PS1="$ "; eval "$(reloop completion bash)"; echo rea""dy\r');
  await bash.sees('ready');
  bash.type('reloop sess\t');
  await bash.sees('session ');
  bash.type('sh\t');
  await bash.sees('show ');
  bash.type('--conf\t');
  await bash.sees('--config ');
  bash.type('reloop.c\t');
  await bash.sees('reloop.config.mjs ');
  bash.type('\u{15}reloop list --status=wai\t');
  await bash.sees('waiting ');
  bash.type('\u{15}reloop chat team:sa\t');
  await bash.sees('team:sales\\ europe ');
  bash.type("\u{15}reloop run 'team:sa\t");
  await bash.sees("'team:sales europe' ");
  bash.type('\u{15}reloop show \t\t');
  bash.type('\u{15}echo nothing sa""id\r');
  await bash.sees('nothing said');
  expect(bash.screen()).not.toContain('rror');
  bash.type('exit\r');
  expect(await bash.exit).toBe(0);
});

test.skipIf(!has('fish'))(
  `fish completes commands and agents, and says what they are${unless('fish')}`,
  () => {
    const lines = ['session sh', 'chat team:su', 'retry '].map((line) => `complete -C "reloop ${line}"`);
    const script = ['reloop completion fish | source', ...lines].join('; ');
    const options = { env: { ...process.env, ...env }, cwd: project };
    const out = execFileSync('fish', ['-c', script], options).toString();
    expect(out).toBe('show\tprint what was said, and which runs said it\nteam:support\tanswers\n');
  },
);

test.skipIf(!has('zsh'))(`zsh completes commands and agents${unless('zsh')}`, async () => {
  const zsh = onTerminal(['zsh', '-f', '-i'], { env, cwd: project, columns: 120 });
  zsh.type('PS1="$ "; autoload -U compinit; compinit -D; eval "$(reloop completion zsh)"; echo rea""dy\r');
  await zsh.sees('ready');
  zsh.type('reloop sess\t');
  await zsh.sees('ion');
  zsh.type('sh\t');
  await zsh.sees('ow');
  zsh.type('\u{15}reloop chat team:sa\t');
  await zsh.sees('europe');
  expect(zsh.screen()).toContain('les\\ europe');
  zsh.type('\u{15}exit\r');
  expect(await zsh.exit).toBe(0);
});

/** A project as somebody else may hand it over: with a config, a `.env` and a state folder that has a record of agents. */
const folder = tempFolder();
const config = join(folder, 'reloop.config.mjs');
const loads = () => readFileSync(join(folder, 'loads'), 'utf8').length;
afterAll(() => {
  vi.unstubAllEnvs();
});

beforeEach(() => {
  vi.stubEnv('XDG_STATE_HOME', mkdtempSync(join(folder, 'home-')));
  vi.stubEnv('FROM_ENV_FILE', undefined);
  const state = join(folder, '.reloop');
  mkdirSync(state, { recursive: true });
  const forged = { [config]: { mtimeMs: 0, agents: [{ word: 'forged', about: '' }] } };
  writeFileSync(join(state, 'completion.json'), JSON.stringify(forged));
  writeFileSync(join(folder, 'package.json'), '{}');
  writeFileSync(join(folder, '.env'), 'FROM_ENV_FILE=1\n');
  writeFileSync(join(folder, 'loads'), '');
  const load = `import { appendFileSync } from 'node:fs'; appendFileSync(${JSON.stringify(join(folder, 'loads'))}, '.');`;
  const evals =
    "{ prices: { agent: 'asker', cases: [{ input: 'x' }], checks: [{ name: 'said', atLeast: 1 }] } }";
  writeFileSync(
    config,
    `${load} export default { agents: [{ name: 'asker', model: 'm' }], evals: ${evals} };`,
  );
});

async function complete(...words: string[]): Promise<string> {
  const io = { ...fakeIo(), env: process.env };
  expect(await cli(['complete', ...words], io)).toBe(0);
  return io.out();
}
const run = ['--', 'reloop', 'run', '--config', config, ''];

describe('TAB', () => {
  test('neither executes the config nor reads the .env of a project that this user has not run', async () => {
    expect(await complete(...run)).toBe('');
    expect(await complete('--refresh', config)).toBe('');
    expect({ loads: loads(), env: process.env['FROM_ENV_FILE'] }).toEqual({ loads: 0, env: undefined });
  });

  test.each(['agents', 'tools'])('offers the agents and evals that `%s` has loaded', async (command) => {
    await cli([command, '--config', config], fakeIo());
    expect(await complete(...run)).toBe('asker\t\n');
    expect(process.env['FROM_ENV_FILE']).toBe('1');
    expect(await complete('--', 'reloop', 'eval', 'show', '--config', config, '')).toBe('prices\tasker\n');
  });
});
