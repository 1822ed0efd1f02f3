import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { root } from '../../../support/cli.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

/** A project as a user has it. */
const folder = tempFolder();

const PRICES = `interface Prices { [currency: string]: number }

const prices: Prices | undefined = JSON.parse('null');

export function euro(): number {
  return prices.eur;
}
export const fee = euro();
`;

const files: { [file: string]: string } = {
  'package.json': '{ "type": "module" }',
  'cjs/package.json': '{}',
  'tools/prices.ts': PRICES,
  'cjs/prices.ts': PRICES,
  'throws.ts': "import { fee } from './tools/prices.ts';\nexport default { fee };\n",
  'cjs/throws.ts': "import { fee } from './prices.ts';\nexport default { fee };\n",
  'cause.mjs': "\nthrow new Error('no prices', { cause: new TypeError('no network') });\n",
  'broken.ts': 'export const a = 1;\nconst sum: number = 3 +;\nexport default a;\n',
  'imports-broken.ts': "import './broken.ts';\nexport default 1;\n",
  'broken.mjs': 'export const a = 1;\n\nexport default { ;\n',
  'no-module.ts': "const a = 1;\nimport './tools/price.ts';\nexport default a;\n",
  'no-package.ts': "import 'not-installed/at-all';\nexport default 1;\n",
  'no-export.ts': "const a = 1;\nimport { cent } from './plain.js';\nexport default cent + a;\n",
  'plain.js': 'export const euro = 1;\n',
};

let printed: { [config: string]: { short: string[]; whole: string[] } } = {};

beforeAll(async () => {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  printed = await loadAll();
});

const unloaded = (config: string, why: string) => `error: ${config} could not be loaded: ${why}`;
const NULL = "Cannot read properties of null (reading 'eur')";
const noModule = `Cannot find module '${folder}/tools/price.ts' imported from ${folder}/no-module.ts`;
const noPackage = `Cannot find package 'not-installed' imported from ${folder}/no-package.ts`;
const noExport = "The requested module './plain.js' does not provide an export named 'cent'";

/** The lines after the reason why a config could not be loaded. */
const cases: [config: string, why: string, said: string[]][] = [
  [
    'throws.ts',
    NULL,
    [
      '  tools/prices.ts:6:17',
      '    4 |',
      '    5 | export function euro(): number {',
      '  > 6 |   return prices.eur;',
      '      |                 ^',
      '    7 | }',
      '    8 | export const fee = euro();',
    ],
  ],
  ['cjs/throws.ts', NULL, ['  cjs/prices.ts:6:17']],
  [
    'cause.mjs',
    'no prices',
    [
      '  cause.mjs:2:7',
      '    1 |',
      "  > 2 | throw new Error('no prices', { cause: new TypeError('no network') });",
      '      |       ^',
      '  caused by: no network (cause.mjs:2:39)',
    ],
  ],
  [
    'imports-broken.ts',
    'Unexpected ";"',
    ['  broken.ts:2:24', '    1 | export const a = 1;', '  > 2 | const sum: number = 3 +;'],
  ],
  [
    'broken.mjs',
    "Unexpected token ';'",
    ['  broken.mjs:3:18', '    1 | export const a = 1;', '    2 |', '  > 3 | export default { ;'],
  ],
  ['no-module.ts', noModule, ['  no-module.ts:2:8']],
  ['no-package.ts', noPackage, ['  no-package.ts:1:8']],
  ['no-export.ts', noExport, ['  no-export.ts:2:22']],
];

test.each(cases)('a config that cannot be loaded is said with its place: %s', (config, why, said) => {
  const lines = printed[config]?.short ?? [];
  expect(lines.slice(0, said.length + 1)).toEqual([unloaded(config, why), ...said]);
  expect(lines.join()).not.toContain('node_modules');
});

test('with --debug the whole stack is printed, and that of the cause', () => {
  const stacks = /ConfigError: throws\.ts[^]*\[cause\]: TypeError[^]*at euro \(.*prices\.ts:6:17\)/u;
  expect(printed['throws.ts']?.whole.join('\n')).toMatch(stacks);
});

/** What the command says of each config, all loaded by one plain Node from the build. */
async function loadAll(): Promise<typeof printed> {
  const script = `
    const [{ loadConfig }, { errorLines }] = await Promise.all(process.argv.slice(2, 4).map((file) => import(file)));
    const printed = {};
    for (const file of process.argv.slice(4)) {
      await loadConfig(file).catch((error) => {
        printed[file] = { short: errorLines(error), whole: errorLines(error, { debug: true }) };
      });
    }
    console.log(JSON.stringify(printed));`;
  const built = ['dist/config/load/load.js', 'dist/cli/print/error-lines.js'];
  const modules = built.map((file) => join(root, file));
  // Where no frame counts as the user's.
  const file = join(folder, 'node_modules/load-all.mjs');
  mkdirSync(dirname(file));
  writeFileSync(file, script);
  const args = [file, ...modules, ...cases.map(([config]) => config)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder });
  return JSON.parse(stdout) as typeof printed; // printed above
}
