import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const MAX_FILES = 1_000;
const MAX_BYTES = 10_000_000;

/** The files of one version of a skill. */
export interface SkillFiles {
  folder: string;
  /** Paths within the folder, with `/`, in order. Hidden files do not count. */
  paths: string[];
  digest: string;
}

/** Reads all files of a folder. Throws an Error that names a link or a folder that is too large, and the remedy. */
export function readSkillFiles(folder: string): SkillFiles {
  const paths = pathsIn(folder).toSorted();
  if (paths.length > MAX_FILES)
    throw new Error(`${folder} has ${paths.length} files, and a skill at most ${MAX_FILES}. Take some out.`);
  const whole = createHash('sha256');
  let bytes = 0;
  for (const path of paths) {
    const content = readFileSync(join(folder, path));
    bytes += content.length;
    if (bytes > MAX_BYTES)
      throw new Error(
        `${folder} has more than ${MAX_BYTES / 1e6} MB, the most for a skill. Take large files out.`,
      );
    whole.update(`${JSON.stringify([path, content.length])}\n`).update(content);
  }
  return { folder, paths, digest: whole.digest('hex').slice(0, 32) };
}

function pathsIn(folder: string, within = ''): string[] {
  return readdirSync(join(folder, within), { withFileTypes: true }).flatMap((entry) => {
    const path = `${within}${entry.name}`;
    if (entry.name.startsWith('.')) return [];
    if (entry.isDirectory()) return pathsIn(folder, `${path}/`);
    if (entry.isFile()) return [path];
    throw new Error(
      `${join(folder, path)} is a link or a special file, which may lead out of the skill. Put a copy of the file there.`,
    );
  });
}
