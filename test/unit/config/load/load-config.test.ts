import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { findConfig, loadConfig } from '../../../../config/load/load.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

/**
 * Config files as a user's project holds them, all loaded by one plain Node from the build in dist/: in here vitest
 * would compile them itself.
 */
const project = tempFolder();
const files = new Map<string, string>();
let loaded: Record<string, { agents?: string[]; said?: string; error?: string }> = {};

const AGENT = "{ name: 'a', model: 'm' }";

const TYPES = `const agents: object[] = [${AGENT}]; export default { agents };`;
const IMPORTS = "import { agent } from './agent.ts'; export default { agents: [agent] };";
const RELOOP = `import { defineConfig } from 'reloop'; export default defineConfig({ agents: [${AGENT}] });`;
const WAITS = `const agent: object = await Promise.resolve(${AGENT}); export default { agents: [agent] };`;

/** In an ES module's package, and in one of CommonJS. */
const good: { [file: string]: string } = {
  'esm/types.config.ts': TYPES,
  'esm/plain.config.js': `export default { agents: [${AGENT}] };`,
  'esm/plain.config.mjs': `export default { agents: [${AGENT}] };`,
  'esm/imports.config.ts': IMPORTS,
  'esm/reloop.config.ts': RELOOP,
  'esm/waits.config.ts': WAITS,
  'cjs/types.config.ts': TYPES,
  'cjs/imports.config.ts': IMPORTS,
  'cjs/reloop.config.ts': RELOOP,
  'cjs/exports.config.js': `module.exports = { agents: [${AGENT}] };`,
  'cjs/plain.config.mjs': `export default { agents: [${AGENT}] };`,
};

const lazy = `export default { agents: [{ name: 'a', model: 'm', tools: [{
  name: 't', description: 'd', inputSchema: null, parseInput: (input: string) => input,
  run: async () => (await import('./agent.ts')).agent.name,
}] }] };`;

const NO_CONFIG = ' has no config: write `export default defineConfig({ agents: […] })`.';
const KINDS = 'Known: zero-shot, structured-chat, conversational, tool-calling.';
const BROKEN = 'export default {';
const wrongKind = "export default { agents: [{ name: 'a', kind: 'x', model: 'm' }] };";
const loading = (why: string) => ` could not be loaded: ${why}`;

/** Each with the beginning of what is said behind the file's name. */
const bad: [file: string, text: string, error: string][] = [
  ['esm/named.config.ts', `export const agents = [${AGENT}];`, NO_CONFIG],
  ['cjs/named.config.ts', `export const agents = [${AGENT}];`, NO_CONFIG],
  ['esm/empty.config.mjs', '', NO_CONFIG],
  ['esm/throws.config.ts', "throw new Error('no luck');", loading('no luck')],
  ['esm/text.config.mjs', "throw 'no luck';", loading('no luck')],
  ['esm/broken.config.ts', BROKEN, loading('Expected identifier but found end of file')],
  ['esm/broken.config.mjs', BROKEN, loading('Unexpected end of input')],
  ['esm/import.config.ts', "import './nothing.ts'; export default 1;", loading('Cannot find module ')],
  ['esm/package.config.mjs', "import 'nothing'; export default 1;", loading("Cannot find package 'nothing'")],
  ['esm/agents.config.ts', 'export default { agents: [] };', ': agents is empty. Define one'],
  ['esm/whole.config.ts', `export default { agents: [${AGENT}, ${AGENT}] };`, ': Two agents are called "a".'],
  ['esm/agent.config.ts', wrongKind, `: Agent "a": unknown kind "x". ${KINDS}`],
];

beforeAll(async () => {
  write('esm/package.json', '{ "type": "module" }');
  write('cjs/package.json', '{}');
  const agent = "export const agent: { name: string; model: string } = { name: 'other', model: 'm' };";
  for (const folder of ['esm', 'cjs']) write(`${folder}/agent.ts`, agent);
  mkdirSync(join(project, 'node_modules'));
  symlinkSync(repository(''), join(project, 'node_modules/reloop'));
  for (const [file, text] of [...Object.entries(good), ...bad]) files.set(file, write(file, text));
  for (const file of ['esm/lazy.config.ts', 'cjs/lazy.config.ts']) files.set(file, write(file, lazy));
  loaded = await loadAll();
});

describe('a config is loaded', () => {
  test.each(Object.entries(good))('from %s', (file, text) => {
    expect(loaded[file]).toEqual({ agents: [text === IMPORTS ? 'other' : 'a'] });
  });

  test.each(['esm', 'cjs'])('whose tool imports more TypeScript when it runs: %s', (folder) => {
    expect(loaded[`${folder}/lazy.config.ts`]).toEqual({ agents: ['a'], said: 'other' });
  });
});

describe('a config is refused, by its file and the reason,', () => {
  test.each(bad)('%s: %s', (file, _text, error) => {
    const said = file + error;
    expect(loaded[file]?.error?.slice(0, said.length)).toBe(said);
  });

  test('that is not there', async () => {
    const message = 'No config: no/such.config.ts does not exist.';
    await expect(loadConfig('no/such.config.ts')).rejects.toMatchObject({ name: 'ConfigError', message });
  });
});

describe('without a name, the config', () => {
  test('is that of the folder, else of the nearest one above, up to the package', () => {
    write('found/package.json', '{}');
    const config = write('found/reloop.config.mjs', '');
    mkdirSync(join(project, 'found/a/b'), { recursive: true });
    expect(findConfig(join(project, 'found'))).toBe(config);
    expect(findConfig(join(project, 'found/a/b'))).toBe(config);
    const nearer = write('found/a/reloop.config.js', '');
    expect(findConfig(join(project, 'found/a/b'))).toBe(nearer);
    expect(findConfig(join(project, 'found'))).toBe(config);
  });

  test('in TypeScript wins over one in JavaScript in the same folder', () => {
    write('both/reloop.config.mjs', '');
    write('both/reloop.config.js', '');
    const config = write('both/reloop.config.ts', '');
    expect(findConfig(join(project, 'both'))).toBe(config);
  });

  test('is not looked for above a folder that belongs to no package', () => {
    write('loose/reloop.config.mjs', '');
    mkdirSync(join(project, 'loose/sub'));
    expect(findConfig(join(project, 'loose'))).toBe(join(project, 'loose/reloop.config.mjs'));
    expect(findConfig(join(project, 'loose/sub'))).toBeUndefined();
  });

  test('is not looked for outside of the package', () => {
    write('outer/reloop.config.ts', '');
    write('outer/inner/package.json', '{}');
    expect(findConfig(join(project, 'outer/inner'))).toBeUndefined();
  });
});

/** Loads every file in one process, and calls the one tool of those that have one. */
async function loadAll(): Promise<typeof loaded> {
  const script = `
    const { loadConfig } = await import(process.argv[1]);
    const results = {};
    for (const file of process.argv.slice(2)) {
      try {
        const { agents, tools } = await loadConfig(file);
        results[file] = { agents: [...agents.keys()] };
        for (const tool of tools.values()) results[file].said = await tool.run('');
      } catch (error) {
        results[file] = { ...results[file], error: error.name === 'ConfigError' ? error.message : String(error.stack) };
      }
    }
    console.log(JSON.stringify(results));`;
  const args = ['--input-type=module', '-e', script, repository('dist/config/load/load.js'), ...files.keys()];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: project });
  return JSON.parse(stdout) as typeof loaded; // printed above
}

function write(file: string, text: string): string {
  const path = join(project, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

function repository(path: string): string {
  return fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
}
