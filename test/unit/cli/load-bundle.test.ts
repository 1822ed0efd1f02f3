import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { root } from '../../support/cli.ts';

test('a command keeps what V8 has compiled for the next one, and does without where that cannot be used', () => {
  const cache = mkdtempSync(join(tmpdir(), 'reloop-compiled-'));
  const help = (more = {}) =>
    execFileSync(process.execPath, [join(root, 'dist/cli/main.js'), 'help', 'list'], {
      env: { ...process.env, XDG_CACHE_HOME: cache, ...more },
      encoding: 'utf8',
    });
  const first = help();
  expect(first).toContain('Usage: reloop list');
  const folder = join(cache, 'reloop/compiled');
  const [build = ''] = readdirSync(folder).filter((name) => name.includes(process.version));
  const kept = join(folder, build, 'help');
  const data = readFileSync(kept);
  expect(help()).toBe(first);
  expect(readFileSync(kept)).toEqual(data);

  writeFileSync(kept, data.subarray(0, 1000));
  expect(help()).toBe(first);
  expect(readFileSync(kept).length).toBeGreaterThan(1000);
  expect(help({ XDG_CACHE_HOME: join(kept, 'a file is no folder') })).toBe(first);
  // Neither is a folder where the command stands.
  expect(help({ XDG_CACHE_HOME: '', HOME: cache })).toBe(first);
  expect(readdirSync(cache)).toContain('.cache');
});

test('columns of wide characters are aligned', () => {
  const project = mkdtempSync(join(tmpdir(), 'reloop-wide-'));
  mkdirSync(join(project, 'node_modules'));
  symlinkSync(root, join(project, 'node_modules/reloop'));
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  writeFileSync(
    join(project, 'reloop.config.js'),
    `import { defineAgent, defineConfig } from 'reloop';
    const agent = (name, model) => defineAgent({ name, model, description: 'Answers.' });
    export default defineConfig({ agents: [agent('one', 'plain'), agent('two', '漢字の👩‍👩‍👧')] });`,
  );
  const printed = execFileSync(process.execPath, [join(root, 'dist/cli/main.js'), 'agents'], {
    cwd: project,
    env: { ...process.env, OPENAI_API_KEY: 'none', NO_COLOR: '1' },
    encoding: 'utf8',
  });
  const rows = printed.trim().split('\n').slice(1);
  const starts = rows.map((row) => stringWidth(row.slice(0, row.indexOf('Answers.'))));
  expect(printed).toContain('漢字の');
  expect(new Set(starts).size).toBe(1);
});
