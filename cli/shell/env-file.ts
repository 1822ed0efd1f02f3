import { readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { projectFolders } from '../../local/server/project-folder.ts';
import { type Io, UsageError } from './io.ts';

export interface EnvFile {
  file: string;
  values: { [name: string]: string };
  /** Names that were not set before, and are now. */
  set: string[];
}

/**
 * Sets the variables of the project's `.env` that the environment lacks. To be called before anything reads the
 * environment. `config` is the file of --config: its own project is meant then. Throws UsageError for a file that
 * cannot be read.
 */
export function loadEnvFile(env: Io['env'], config?: string): EnvFile | undefined {
  const file = findEnvFile(folderOf(config));
  if (file === undefined) return undefined;
  const values = readEnvFile(file);
  const set = Object.keys(values).filter((name) => env[name] === undefined);
  for (const name of set) env[name] = values[name];
  return { file, values, set };
}

/**
 * The environment without what the project's `.env` has set in this process: each new worker of `dev` reads that file again,
 * and the user's own environment wins. To be called before the file is changed.
 */
export function envWithoutFile(env: Io['env'], config: string | undefined): Io['env'] {
  const file = findEnvFile(folderOf(config));
  const values = file === undefined ? {} : readEnvFile(file);
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => values[name] !== value));
}

/** The folder of the config that is named with --config; without one, the current folder. */
export function folderOf(config: string | undefined): string {
  return config === undefined ? process.cwd() : dirname(resolve(config));
}

/** The `.env` of a folder, or of the nearest folder above up to the project's root: where a config is found, too. */
export function findEnvFile(from: string): string | undefined {
  // A Python environment is often a folder of that name.
  return envFiles(from).find((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true);
}

/** Candidates for a `.env`: in a folder, and above it up to the project's root. */
export function envFiles(from: string): string[] {
  return projectFolders(from).map((folder) => join(folder, '.env'));
}

/** Reads a file as Node does, but refuses what Node would pass over or misread. Throws UsageError. */
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

interface Problem {
  line: number;
  what: string;
}

const NAME = /^\s*(?:export )?[A-Za-z_][\w.-]*\s*=\s*/u;

/** Finds a line that Node's reader would misread. The message leaves the line out: it may be a secret. */
function firstProblem(text: string): Problem | undefined {
  const lines = text.split(/\r?\n/u);
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (/^\s*(?:#|$)/u.test(line)) continue;
    const name = NAME.exec(line)?.[0];
    if (name === undefined || line.includes('\0')) return { line: at + 1, what: 'that is not NAME=value.' };
    const value = line.slice(name.length);
    if (!/^["'`]/u.test(value)) {
      // Node starts a comment at any #.
      if (!/\S#|^#\S/u.test(value)) continue;
      return { line: at + 1, what: 'a # ends the value, and the rest is lost: put the value in quotes.' };
    }
    const end = endOfQuoted(lines, at, value);
    if ('what' in end) return end;
    at = end.line;
  }
  return undefined;
}

/** The line, counted from 0, in which the quoted value ends that starts in line `at`. Node ends it at the next such quote. */
function endOfQuoted(lines: string[], at: number, value: string): { line: number } | Problem {
  const quote = value.charAt(0);
  const isHere = value.includes(quote, 1);
  const end = isHere ? at : lines.findIndex((line, index) => index > at && line.includes(quote));
  if (end === -1) return { line: at + 1, what: `the quote (${quote}) that starts there never ends.` };
  const last = isHere ? value.slice(1) : (lines[end] ?? '');
  const [before = '', ...rest] = last.split(quote);
  const behind = rest.join(quote);
  if (!isHere && NAME.exec(before)?.[0] === before) {
    return {
      line: at + 1,
      what: `the quote (${quote}) that starts there ends in line ${end + 1}, which looks like another NAME=value.`,
    };
  }
  if (/^\s*(?:#|$)/u.test(behind)) return { line: end };
  return {
    line: end + 1,
    what: `there is more after the closing quote (${quote}), which would be lost. Put a value with such a quote in it into other quotes (", ' or \`).`,
  };
}

function nameOf(file: string): string {
  return relative(process.cwd(), file);
}
