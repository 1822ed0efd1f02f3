import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { TestModule } from 'vitest/node';
import { root } from './cli.ts';

/** Seconds that each test file took when all ran on two processors, by its path from the root. */
export type FileTimes = { [file: string]: number };

const STORED = new URL('../times.json', import.meta.url);

export function storedTimes(): FileTimes {
  return existsSync(STORED) ? (JSON.parse(readFileSync(STORED, 'utf8')) as FileTimes) : {}; // written below
}

/** Keeps those of files that did not run, as long as they are there. */
export function writeTimes(times: FileTimes): void {
  const all = Object.entries({ ...storedTimes(), ...times }).filter(([file]) => existsSync(join(root, file)));
  const sorted = all.toSorted(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(STORED, `${JSON.stringify(Object.fromEntries(sorted), undefined, 2)}\n`);
}

/** Seconds of each file's tests and hooks, in whole tenths. */
export function timesOf(modules: readonly TestModule[]): FileTimes {
  return Object.fromEntries(
    modules.map((module) => [pathOf(module.moduleId), Math.round(module.diagnostic().duration / 100) / 10]),
  );
}

export function pathOf(file: string): string {
  return relative(root, file);
}
