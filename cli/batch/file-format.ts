import { extname } from 'node:path';
import { UsageError } from '../shell/io.ts';

export type FileFormat = 'csv' | 'jsonl';

/** The format of a file by its name. Throws UsageError. */
export function formatOf(file: string): FileFormat {
  const end = extname(file).toLowerCase();
  if (['.csv', '.tsv'].includes(end)) return 'csv';
  if (['.jsonl', '.ndjson'].includes(end)) return 'jsonl';
  throw new UsageError(`${file}: the name has to end with .csv, .tsv, .jsonl or .ndjson.`);
}
