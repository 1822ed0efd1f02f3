import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { type Contestant, nodeOf, pathOf } from './contestants.ts';

/** Versions of a contestant's products, and of the Node that runs it. */
export async function versionsOf(contestant: Contestant): Promise<{ [name: string]: string }> {
  const { packages, products } = contestant;
  const { stdout } = await promisify(execFile)(nodeOf(contestant), ['--version']);
  const folder = packages === undefined ? '../..' : `${packages}/node_modules`;
  const entries = products.map((name): [string, string] => [
    name,
    versionIn(`${folder}/${packages ? `${name}/` : ''}package.json`),
  ]);
  return Object.fromEntries([...entries, ['node', stdout.trim().slice(1)] as const]);
}

function versionIn(file: string): string {
  const { version } = JSON.parse(readFileSync(pathOf(file), 'utf8')) as { version: string }; // of npm
  return version;
}
