import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageVersion } from '../../cli/shell/version.ts';
import { type Reader, followPage } from './follow-page.ts';
import type { PackedPackage } from './packed-package.ts';
import { type Terminal, openTerminal } from './terminal.ts';

/** The name that README gives the project. */
export const STARTER = 'my-agent';

/** Does what a page says, from top to bottom, on a machine with the package, from a folder of its. */
export async function followAsStarter(
  { folder, env }: PackedPackage,
  page: string,
  from = '.',
): Promise<void> {
  const terminal = openTerminal(join(folder, from), env);
  const reader: Reader = {
    ...terminal,
    type: (line) => terminal.type(withoutTarball(line)),
    samples: [[folder, '/home/you']],
    write: (file, text) => write(terminal, file, text),
  };
  try {
    await followPage(page, reader);
  } finally {
    await terminal.close();
  }
}

/** The file's package is laid out already; test/release/package.test.ts installs the file. Another version's file is typed, and missing. */
function withoutTarball(line: string): string {
  return line.replace(`npx --yes ./reloop-${packageVersion()}.tgz `, 'npx reloop ');
}

/** Files stand where the reader stands. */
function write({ folder }: Pick<Terminal, 'folder'>, file: string, text: string): void {
  mkdirSync(dirname(join(folder(), file)), { recursive: true });
  writeFileSync(join(folder(), file), text);
}
