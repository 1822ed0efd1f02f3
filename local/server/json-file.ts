import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Files that one user's commands keep for each other: small, private, and replaced as a whole. */

/** The value of a JSON file; undefined if the file is missing or damaged. */
export function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** The fields of a value that came from a file; none of what has no fields. */
export function fieldsOf(value: unknown): { [name: string]: unknown } {
  return value !== null && typeof value === 'object' ? { ...value } : {};
}

export function writeJson(file: string, value: unknown): void {
  replaceFile(file, JSON.stringify(value));
}

/** Readers see the old content or the new one, also if several processes write. Only the user may read the file. */
export function replaceFile(file: string, content: string | Uint8Array): void {
  const draft = `${file}.${process.pid}.new`;
  writeFileSync(draft, content, { mode: 0o600 });
  renameSync(draft, file);
}
