import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UsageError } from '../shell/io.ts';

/** Checks the value of --out before the work for it starts. Throws UsageError. */
export async function checkOutFile(out: string): Promise<void> {
  if (await isFolder(out)) throw new UsageError(`--out ${out} is a folder. Name a file in it.`);
  if (!(await isFolder(dirname(out)))) {
    throw new UsageError(`--out ${out}: there is no folder ${dirname(out)}. Make it, or name another file.`);
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}
