import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { root } from '../support/cli.ts';
import { onTerminal } from '../support/typing.ts';

/** Real shells in a project whose agents are known already; no server is up, and none is started. */
const project = mkdtempSync(join(tmpdir(), 'reloop-tab-'));
const env = { PATH: `${project}:${process.env['PATH'] ?? ''}`, RELOOP_STATE_DIR: project, HOME: project };

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
  writeFileSync(join(project, 'completion.json'), JSON.stringify({ [config]: { mtimeMs, agents } }));
  const command = join(project, 'reloop');
  writeFileSync(command, `#!/bin/sh\nexec ${process.execPath} ${join(root, 'dist/cli/main.js')} "$@"\n`);
  chmodSync(command, 0o755);
});
afterAll(() => rmSync(project, { recursive: true }));

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
    const script =
      'reloop completion fish | source; complete -C "reloop session sh"; complete -C "reloop chat team:su"; complete -C "reloop retry "';
    const out = execFileSync('fish', ['-c', script], {
      env: { ...process.env, ...env },
      cwd: project,
    }).toString();
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
