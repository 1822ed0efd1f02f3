import { readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { projectFolder } from '../client/project-folder.ts';
import { UsageError } from './exit-codes.ts';
import type { Io } from './io.ts';

/** A `.env` that was read. */
export interface EnvFile {
  file: string;
  values: { [name: string]: string };
  /** Those of its names that were not set before, and are now. */
  set: string[];
}

/**
 * Sets what the project's `.env` sets and the environment does not. To be called before anything reads the environment.
 * `config` is the file of --config: its own project is meant then. Throws UsageError for a file that cannot be read.
 */
export function loadEnvFile(env: Io['env'], config?: string): EnvFile | undefined {
  const file = findEnvFile(config === undefined ? process.cwd() : dirname(resolve(config)));
  if (file === undefined) return undefined;
  const values = readEnvFile(file);
  const set = Object.keys(values).filter((name) => env[name] === undefined);
  for (const name of set) env[name] = values[name];
  return { file, values, set };
}

/** The `.env` of a folder, or of the nearest folder above up to the project's root: where a config is found, too. */
export function findEnvFile(from: string): string | undefined {
  const top = projectFolder(from);
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const file = join(folder, '.env');
    // A Python environment is often a folder of that name.
    if (statSync(file, { throwIfNoEntry: false })?.isFile() === true) return file;
    if (folder === top) return undefined;
  }
}

/** As Node reads it, but nothing that Node would pass over or misread is let through. Throws UsageError. */
export function readEnvFile(file: string): EnvFile['values'] {
  const text = textOf(file).replace(/^\uFEFF/u, '');
  const problem = firstProblem(text);
  if (problem !== undefined) {
    throw new UsageError(
      `${nameOf(file)}, line ${problem.line}: ${problem.what} Correct it, or take it out.`,
    );
  }
  // The type allows for names without a value, which parseEnv never gives.
  return Object.fromEntries(Object.entries(parseEnv(text)).map(([name, value]) => [name, value ?? '']));
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${nameOf(file)} cannot be read: ${reason}`);
  }
}

/** The line itself is not said: it may be a secret. */
function firstProblem(text: string): { line: number; what: string } | undefined {
  const lines = text.split(/\r?\n/u);
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (/^\s*(?:#|$)/u.test(line)) continue;
    const match = /^\s*(?:export )?[A-Za-z_][\w.-]*\s*=\s*(["'`])?(.*)$/u.exec(line);
    if (match === null) return { line: at + 1, what: 'that is no NAME=value.' };
    const [, quote, rest = ''] = match;
    if (quote === undefined || rest.includes(quote)) continue;
    const end = lines.findIndex((later, index) => index > at && later.includes(quote));
    if (end === -1) return { line: at + 1, what: `the quote (${quote}) that begins there never ends.` };
    at = end;
  }
  return undefined;
}

function nameOf(file: string): string {
  return relative(process.cwd(), file);
}
