import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findConfig } from '../../config/load.ts';
import { UsageError } from '../exit-codes.ts';
import { packageFolder } from '../version.ts';

/** A file that `reloop init` writes. */
export interface NewFile {
  /** Within the project. */
  path: string;
  text: string;
}

/** The agent, and what it imports and is tested by: they go together. */
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
  /** Those that are there already. */
  left: string[];
  /** The project has a config already, so the agent is not written. */
  hasConfig: boolean;
}

/** What a folder lacks. Reads only. Throws UsageError where other files have the names of the agent's. */
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
      `${folder} has no config, but ${taken.join(' and ')}: the agent's files are called so. Rename yours, or begin in a folder of its own: npx reloop init my-agent. Nothing was written.`,
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
  return readFileSync(join(packageFolder(), 'template', name), 'utf8');
}
