import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './cli.ts';
import { unresolvedImports } from './declared-imports.ts';
import { packInto } from './packed.ts';

/** `npm run check:package`, after a build: whether what npm would publish is what Node and TypeScript look for. */
const folder = mkdtempSync(join(tmpdir(), 'reloop-packed-'));
try {
  const { file } = packInto(folder);
  run('publint', 'run', '--strict', file);
  // Node 20.19 lets CommonJS require ES modules, so there is no second copy for it.
  checkDeclarations(join(root, 'dist'));
  run('attw', '--profile', 'esm-only', '--format', 'ascii', file);
} finally {
  rmSync(folder, { recursive: true });
}

function run(program: string, ...args: string[]): void {
  execFileSync(join(root, 'node_modules/.bin', program), args, { stdio: 'inherit' });
}

function checkDeclarations(dist: string): void {
  const missing = unresolvedImports(dist);
  if (missing.length === 0) return;
  throw new Error(`These declarations import what Node does not find:\n${missing.join('\n')}`);
}
