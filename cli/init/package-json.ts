import { basename, dirname, join, relative, resolve } from 'node:path';
import { z } from 'zod/v4';
import { UsageError } from '../shell/io.ts';
import { existsSync, realpathSync } from 'node:fs';
import { readJson } from '../../local/server/json-file.ts';
import { packageFolder, packageVersion } from '../shell/version.ts';

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
  /** Added fields, named as in package.json: `scripts.dev`. */
  added: string[];
  /** The project's specification of reloop. */
  reloop: string;
}

export interface MergeOptions {
  folder: string;
  /** Specification of reloop to install. */
  spec: string;
  /** The user named it, so it replaces another one. */
  named: boolean;
  /** The agent of the template is written, which these scripts are about. */
  withAgent: boolean;
}

/** Entries of the template that only an agent needs. */
const OF_THE_AGENT = ['scripts.start', 'scripts.test', 'devDependencies.vitest'];

/** Script that `npm init -y` writes without a test. */
const NO_TEST = /^echo "Error: no test specified"/u;

/** A project's package.json with the missing entries of the template. Throws UsageError for one that cannot be read. */
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

/** Names that npm refuses for a package. */
const RESERVED = ['node_modules', 'favicon.ico'];
const LONGEST = 214;

/** A package name that npm allows, made of a folder's name. */
function packageName(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9._~-]+/gu, '-')
    .replace(/^[._-]+|-+$/gu, '');
  if (RESERVED.includes(name)) {
    throw new UsageError(
      `npm takes no package that is called ${name}. Name another folder. Nothing was written.`,
    );
  }
  return name === '' || name === 'reloop' ? 'my-agent' : name.slice(0, LONGEST);
}

/**
 * Specification in package.json that installs this very Reloop: its version; for an installation from a file, or a
 * checkout, that file or folder.
 */
export function ownPackage(folder: string): string {
  const own = packageFolder();
  if (basename(dirname(own)) !== 'node_modules') return fileSpec(folder, own);
  const installer = dirname(dirname(own)); // a project, or a folder of npx
  const spec = specIn(join(installer, 'package.json'));
  if (spec?.startsWith('file:') === true)
    return fileSpec(folder, resolve(installer, spec.slice('file:'.length)));
  return spec !== undefined && /^[\w+.-]+:|\//u.test(spec) ? spec : `^${packageVersion()}`;
}

/** The user's --package: a path is relative to here, and has to exist. Throws UsageError. */
export function namedPackage(folder: string, spec: string): string {
  const path = spec.replace(/^file:/u, '');
  if (path === spec && !/^(?:\.{0,2}\/|~\/)|\.tgz$/u.test(spec)) return spec.replace(/^reloop@/u, '');
  if (/^https?:/u.test(spec)) return spec;
  if (!existsSync(path)) throw new UsageError(`--package: there is no ${path} here. Nothing was written.`);
  return fileSpec(folder, resolve(path));
}

/** Specification of a file, as npm writes it. With real paths: `..` of a link leads elsewhere. */
function fileSpec(folder: string, path: string): string {
  return `file:${relative(realFolder(folder), realpathSync(path))}`;
}

/** Real path of a folder that may not exist yet. */
function realFolder(folder: string): string {
  if (existsSync(folder)) return realpathSync(folder);
  return join(realFolder(dirname(folder)), basename(folder));
}

/** undefined: installed for the whole machine. */
function specIn(file: string): string | undefined {
  const { dependencies, devDependencies } = (readJson(file) ?? {}) as {
    dependencies?: { reloop?: string };
    devDependencies?: { reloop?: string };
  }; // npm has read it, too
  return dependencies?.reloop ?? devDependencies?.reloop;
}
