import { basename } from 'node:path';
import { z } from 'zod/v4';
import { UsageError } from '../exit-codes.ts';

const fields = z.record(z.string(), z.unknown());
const packageSchema = z.looseObject({
  name: z.string().optional(),
  scripts: fields.optional(),
  dependencies: fields.optional(),
  devDependencies: fields.optional(),
});
type PackageJson = z.output<typeof packageSchema>;

export interface MergedPackage {
  text: string;
  isNew: boolean;
  /** As they are called in package.json: `scripts.dev`. */
  added: string[];
  /** What the project installs as reloop. */
  reloop: string;
}

export interface MergeOptions {
  folder: string;
  /** What is to be installed as reloop. */
  spec: string;
  /** The user named it, so it replaces another one. */
  named: boolean;
  /** The agent of the template is written, which these scripts are about. */
  withAgent: boolean;
}

/** Of the template. */
const OF_THE_AGENT = ['scripts.start', 'scripts.test', 'devDependencies.vitest'];

/** What `npm init -y` writes where there is no test. */
const NO_TEST = /^echo "Error: no test specified"/u;

/** A project's package.json with what it lacks of the template's. Throws UsageError for one that cannot be read. */
export function mergePackage(
  before: string | undefined,
  template: string,
  { folder, spec, named, withAgent }: MergeOptions,
): MergedPackage {
  const own: PackageJson =
    before === undefined
      ? { name: packageName(folder), private: true, type: 'module' }
      : parsed(before, folder);
  const added: string[] = [];
  const add = (group: 'scripts' | 'dependencies' | 'devDependencies', name: string, value: unknown) => {
    own[group] = { ...own[group], [name]: value };
    added.push(`${group}.${name}`);
  };
  const { scripts = {}, devDependencies = {} } = parsed(template, 'the template');
  for (const [name, value] of Object.entries(scripts)) {
    const there = own.scripts?.[name];
    const isFree = there === undefined || (typeof there === 'string' && NO_TEST.test(there));
    if (isFree && (withAgent || !OF_THE_AGENT.includes(`scripts.${name}`))) add('scripts', name, value);
  }
  if (named || declared(own, 'reloop') === undefined) {
    add(own.devDependencies?.['reloop'] === undefined ? 'dependencies' : 'devDependencies', 'reloop', spec);
  }
  for (const [name, value] of Object.entries(devDependencies)) {
    if (declared(own, name) !== undefined) continue;
    if (withAgent || !OF_THE_AGENT.includes(`devDependencies.${name}`)) add('devDependencies', name, value);
  }
  const indent = /^([ \t]+)"/mu.exec(before ?? '')?.[1] ?? 2;
  const text =
    added.length === 0 && before !== undefined ? before : `${JSON.stringify(own, undefined, indent)}\n`;
  return { text, isNew: before === undefined, added, reloop: String(declared(own, 'reloop')) };
}

function declared({ dependencies, devDependencies }: PackageJson, name: string): unknown {
  return dependencies?.[name] ?? devDependencies?.[name];
}

function parsed(text: string, folder: string): PackageJson {
  try {
    return packageSchema.parse(JSON.parse(text));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    throw new UsageError(
      `The package.json of ${folder} cannot be read: ${reason}. Correct it; nothing was written.`,
    );
  }
}

/** What npm allows, made of a folder's name. */
function packageName(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9._~-]+/gu, '-')
    .replace(/^[._-]+|-+$/gu, '');
  return name === '' || name === 'reloop' ? 'my-agent' : name;
}
