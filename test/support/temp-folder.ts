import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** A new folder that is removed after the tests of the file, or after those that are done when `over` says so. */
export function tempFolder(over: (remove: () => void) => void = afterAll): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'reloop-test-')));
  over(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
