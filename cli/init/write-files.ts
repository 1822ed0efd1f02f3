import { accessSync, constants, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UsageError } from '../exit-codes.ts';
import type { NewFile } from './template-files.ts';

/** Throws UsageError where these files cannot be written. */
export function checkWritable(folder: string, files: readonly NewFile[]): void {
  for (const place of new Set([folder, ...files.map(({ path }) => dirname(join(folder, path)))])) {
    const there = nearest(place);
    if (!statSync(there).isDirectory()) {
      throw new UsageError(`${there} is a file, and a folder is needed there. Nothing was written.`);
    }
    try {
      accessSync(there, constants.W_OK | constants.X_OK);
    } catch {
      throw new UsageError(`The folder ${there} is not yours to write into. Nothing was written.`);
    }
  }
}

/** Overwrites nothing. Throws UsageError. */
export function writeFiles(folder: string, files: readonly NewFile[]): void {
  for (const { path, text } of files) {
    const file = join(folder, path);
    try {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text, { flag: 'wx' });
    } catch (error) {
      throw new UsageError(
        `${file} could not be written: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
}

/** The folder or file itself, or the nearest above that is there. */
function nearest(path: string): string {
  return statSync(path, { throwIfNoEntry: false }) === undefined ? nearest(dirname(path)) : path;
}
