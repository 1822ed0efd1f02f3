import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// `npm run build` makes dist. `npm run build:changed` makes it only where dist is not the build of what is here: tests and benches begin with it.
const root = fileURLToPath(new URL('../..', import.meta.url));
process.chdir(root);

const CONFIG = '.ci/tsconfig.build.json';
/** Hash of what dist was built from. Not in dist, since dist is published. */
const STAMP = 'node_modules/.cache/reloop-build';
/** Files that TypeScript compiles, and files that stay in the repository. All others go into dist as they are. */
const NOT_COPIED = /\.(?:ts|md|json)$/u;

const sources = (JSON.parse(readFileSync(CONFIG, 'utf8')) as { include: string[] }).include.flatMap((path) =>
  filesIn(join('.ci', path)),
);
const hash = createHash('sha256').update(process.version);
for (const file of [
  ...sources,
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  CONFIG,
  'test/support/build-dist.ts',
]) {
  hash.update(`${file}\n`).update(readFileSync(file));
}
const wanted = hash.digest('hex');
const built = existsSync('dist/index.js') && existsSync(STAMP) ? readFileSync(STAMP, 'utf8') : '';
if (!process.argv.includes('--if-changed') || built !== wanted) build();

function build(): void {
  rmSync(STAMP, { force: true });
  rmSync('dist', { recursive: true, force: true });
  node('node_modules/typescript/bin/tsc', '-p', CONFIG);
  for (const file of sources.filter((path) => !NOT_COPIED.test(path))) cpSync(file, join('dist', file));
  node('dist/worker/build-bundle.js');
  node('dist/adapters/tools/calculator/build-math.js');
  node('dist/cli/build-commands.js');
  node('dist/cli/build-chunks.js');
  mkdirSync(dirname(STAMP), { recursive: true });
  writeFileSync(STAMP, wanted);
}

function filesIn(path: string): string[] {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path)
    .toSorted()
    .flatMap((name) => filesIn(join(path, name)));
}

/** A program that fails has said why. */
function node(...args: string[]): void {
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0) throw new Error(`${args[0]} failed: dist is not complete.`);
}
