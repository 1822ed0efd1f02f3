import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './cli.ts';
import { packInto } from './packed.ts';

/**
 * `npm run check:zod`, after a build and before a release: the package in a project with each zod and each TypeScript that
 * people may have. Takes a few minutes, most of them npm's; ends with 1 at the first that does not do.
 */
const ALONE = ['3.25.60', '3.25.76', '4.0.0', '4.0.5', '4.1.12', '4.3.6', 'latest'];
/** A project in which Reloop found one zod, and its tools another. */
const BESIDE = [
  { ours: 'latest', theirs: '4.0.5' },
  { ours: 'latest', theirs: '3.25.76' },
  { ours: '4.0.5', theirs: 'latest' },
];
const COMPILERS = ['5.0.4', '5.4.5', '5.9.3', 'latest'];

const project = mkdtempSync(join(tmpdir(), 'reloop-versions-'));
const at: ExecFileSyncOptionsWithStringEncoding = {
  cwd: project,
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
};
try {
  write('package.json', JSON.stringify({ private: true, type: 'module' }));
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2022',
    types: ['node'],
    strict: true,
    noEmit: true,
  };
  write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['package-user.ts', 'zod-user.ts'] }));
  install(packInto(project).file, `@types/node@${ofCheckout('@types/node')}`, 'typescript@latest');

  for (const version of ALONE) {
    install(`zod@${version}`);
    tryOut(`zod ${version}`, version.startsWith('3.') ? 'zod/v4' : 'zod');
  }
  for (const { ours, theirs } of BESIDE) {
    install(`zod@${ours}`, `other-zod@npm:zod@${theirs}`);
    tryOut(`zod ${ours} and, in a tool, ${theirs}`, theirs.startsWith('3.') ? 'other-zod/v4' : 'other-zod');
  }
  install('zod@latest');
  for (const version of COMPILERS) {
    install(`typescript@${version}`);
    tryOut(`TypeScript ${version}`, 'zod');
  }
} finally {
  rmSync(project, { recursive: true });
}

function install(...packages: string[]): void {
  execFileSync(
    'npm',
    ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--silent', ...packages],
    at,
  );
}

/** Throws, with what was printed, when a type is wrong or the program fails. */
function tryOut(what: string, zod: string): void {
  for (const program of ['package-user.ts', 'zod-user.ts']) {
    const source = readFileSync(join(root, 'test/fixtures', program), 'utf8');
    write(program, source.replace("from 'zod'", `from '${zod}'`));
  }
  compile(what);
  const said = execFileSync(process.execPath, ['--import', 'tsx', 'zod-user.ts'], at).trim();
  console.log(`ok  ${what}: ${said}`);
}

/** Faults of declarations that are not ours are nothing to us, and older compilers find some. */
function compile(what: string): void {
  let printed = '';
  try {
    execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '--noEmit'], at);
  } catch (error) {
    printed = String((error as { stdout: unknown }).stdout); // of a process that ended with another code than 0
  }
  const lines = printed.split('\n').filter((line) => /error TS/u.test(line));
  const ours = lines.filter((line) => !/^node_modules\/(?!reloop\/)/u.test(line));
  if (ours.length > 0) throw new Error(`${what}:\n${ours.join('\n')}`);
}

function ofCheckout(name: string): string {
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')) as {
    version: string;
  }; // npm's own format
  return version;
}

function write(name: string, text: string): void {
  writeFileSync(join(project, name), text);
}
