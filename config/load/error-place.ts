import { readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Place in the user's own code where an error occurred; lines and columns count from 1. */
export interface CodePlace {
  file: string;
  line: number;
  column: number | undefined;
}

/** undefined: the error says none, or only places in packages, in Node and in Reloop. Its causes are not looked at. */
export function placeOf(error: unknown): CodePlace | undefined {
  if (!(error instanceof Error)) return undefined;
  const { message, stack = '' } = error;
  return compilerPlace(message) ?? importPlace(message) ?? sourcePlace(stack, message) ?? framePlace(stack);
}

/** The compiler's message, without its own prefix and without the place. */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return COMPILER.exec(message)?.groups?.['reason'] ?? message;
}

/** esbuild: `Transform failed with 1 error:\n/path/file.ts:2:21: ERROR: Unexpected ";"`, its columns from 0. */
const COMPILER = /^(?<file>.+?):(?<line>\d+):(?<column>\d+): ERROR: (?<reason>.+)$/mu;

function compilerPlace(message: string): CodePlace | undefined {
  const { file, line, column } = COMPILER.exec(message)?.groups ?? {};
  if (file === undefined) return undefined;
  return { file: pathOf(file), line: Number(line), column: Number(column) + 1 };
}

/** Node, of a module or package that is not there: who wanted it. */
const NOT_FOUND = /^Cannot find (?:module|package) '(?<wanted>[^']+)' imported from (?<file>.+)$/mu;
const NOT_REQUIRED = /^Cannot find module '(?<wanted>[^']+)'\nRequire stack:\n- (?<file>.+)$/mu;

function importPlace(message: string): CodePlace | undefined {
  const { wanted, file } = (NOT_FOUND.exec(message) ?? NOT_REQUIRED.exec(message))?.groups ?? {};
  if (wanted === undefined || file === undefined || !isUsers(pathOf(file))) return undefined;
  // The resolved path, or the specifier as written: both end the same way.
  const last =
    wanted
      .replace(/\.\w+$/u, '')
      .split(/[\\/]/u)
      .at(-1) ?? wanted;
  return specifierPlace(
    pathOf(file),
    (specifier) => specifier.split('/').includes(last) || specifier.includes(`/${last}.`),
  );
}

/** Node, of text that is not JavaScript: its stack starts with file and line, the line itself, and a mark below. */
const SOURCE = /^(?<file>(?:file:\/\/)?(?:\/|[A-Za-z]:\\).*):(?<line>\d+)\n(?<source>.*)\n(?<mark> *)\^/u;
const NO_EXPORT = /^The requested module '(?<wanted>[^']+)'/u;

function sourcePlace(stack: string, message: string): CodePlace | undefined {
  const { file, line, mark = '' } = SOURCE.exec(stack)?.groups ?? {};
  if (file === undefined || !isUsers(pathOf(file))) return undefined;
  // The mark of an import that does not fit is in the compiled text.
  const wanted = NO_EXPORT.exec(message)?.groups?.['wanted'];
  if (wanted !== undefined) return specifierPlace(pathOf(file), (specifier) => specifier === wanted);
  return { file: pathOf(file), line: Number(line), column: mark.length + 1 };
}

function specifierPlace(file: string, isWanted: (specifier: string) => boolean): CodePlace {
  for (const [index, text] of linesOf(file).entries()) {
    for (const { 1: specifier = '', index: at } of text.matchAll(/['"]([^'"]+)['"]/gu)) {
      if (isWanted(specifier)) return { file, line: index + 1, column: at + 1 };
    }
  }
  return { file, line: 1, column: undefined };
}

const FRAME =
  /(?:\(|at |async )(?<file>(?:file:\/\/\/?)?(?:\/|[A-Za-z]:[\\/])[^()]*?):(?<line>\d+):(?<column>\d+)\)?$/u;

/** The innermost frame in the user's code. */
function framePlace(stack: string): CodePlace | undefined {
  for (const frame of stack.split('\n').filter((text) => /^\s+at /u.test(text))) {
    const { file, line, column } = FRAME.exec(frame)?.groups ?? {};
    if (file === undefined || !isUsers(pathOf(file))) continue;
    return { file: pathOf(file), line: Number(line), column: Number(column) };
  }
  return undefined;
}

/** dist/, or the folder of the sources. */
const OWN = fileURLToPath(new URL('../..', import.meta.url));

/** True for a file of the user's: not in a package, not in Reloop. */
export function isUsers(file: string): boolean {
  return !file.split(sep).includes('node_modules') && !file.startsWith(OWN);
}

function pathOf(place: string): string {
  return place.startsWith('file:')
    ? fileURLToPath(place.replace(/[?#].*$/u, ''))
    : place.replace(/\?.*$/u, '');
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}
