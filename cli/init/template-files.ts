import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { findConfig } from '../../config/load/load.ts';
import { UsageError } from '../shell/io.ts';
import { packageFolder } from '../shell/version.ts';

/** A file that `reloop init` writes. */
interface NewFile {
  /** Path within the project. */
  path: string;
  text: string;
}

/** The agent with its imports and its test: they go together. */
const AGENT = ['reloop.config.ts', 'price.ts', 'demo-model.ts', 'reloop.test.ts'];

/**
 * The rest, with their names in the package where these are others: npm leaves some names out of a package, and tools take
 * some for their own.
 */
const AROUND: [path: string, template?: string][] = [
  ['.env.example', '_env.example'],
  ['.gitignore', '_gitignore'],
  ['.dockerignore', '_dockerignore'],
  ['tsconfig.json', '_tsconfig.json'],
  ['README.md', '_README.md'],
  ['Dockerfile'],
  ['docker-compose.yml'],
  ['deploy/dynamic-config.yaml'],
];

export interface TemplateFiles {
  files: NewFile[];
  /** Files that exist already. */
  left: string[];
  /** The project has a config already, so the agent is not written. */
  hasConfig: boolean;
}

/** Template files that a folder lacks. Reads only. Throws UsageError if other files have the names of the agent's. */
export function templateFiles(folder: string): TemplateFiles {
  const config = existsSync(folder) ? findConfig(folder) : undefined;
  const hasConfig = config !== undefined && dirname(config) === folder;
  const wanted: [path: string, template?: string][] = hasConfig
    ? AROUND
    : [...AGENT.map((path): [string] => [path]), ...AROUND];
  const isThere = (path: string) => exists(join(folder, path));
  const taken = hasConfig ? [] : AGENT.filter(isThere);
  if (taken.length > 0) {
    throw new UsageError(
      `${folder} has no config, but ${taken.join(' and ')}: the agent's files are called so. Rename yours, or start in a separate folder: npx reloop init my-agent. Nothing was written.`,
    );
  }
  const files = wanted
    .filter(([path]) => !isThere(path))
    .map(([path, template = path]) => ({ path, text: templateText(template) }));
  return { files, left: wanted.map(([path]) => path).filter(isThere), hasConfig };
}

/** A link that leads nowhere is there as well. */
function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // a file where its folder should be, which is refused before anything is written
  }
}

export function templateText(name: string): string {
  return readFileSync(join(packageFolder(), 'examples/template', name), 'utf8');
}

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
