import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

interface Manifest {
  name: string;
  version: string;
  license: string;
  author?: string | { name: string };
  dependencies?: { [name: string]: string };
}

/** The package.json of a package's folder. */
export function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest; // npm's own format
}

/** Licence from the package's metadata, with the text if the package has one. */
export function licenceOf(folder: string): string {
  const { name, version, license, author } = manifestOf(folder);
  const by = typeof author === 'object' ? author.name : (author ?? 'its authors');
  const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|notice)/iu.test(file));
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return [`${name} ${version}, by ${by}, licence ${license}`, ...texts, ''].join('\n\n');
}
