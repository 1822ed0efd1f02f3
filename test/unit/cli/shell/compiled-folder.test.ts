import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { removeOlderBuilds } from '../../../../cli/shell/compiled-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reloop-compiled-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function make(name: string, age: number): void {
  mkdirSync(join(folder, name));
  writeFileSync(join(folder, name, 'list'), 'code');
  const time = new Date(Date.now() - age * 60_000);
  utimesSync(join(folder, name), time, time);
}

test('of the code of all builds the newest four folders are kept', () => {
  const builds = Array.from({ length: 7 }, (_, age) => `${`${age}`.repeat(16)}-v20.20.2-x64`);
  for (const [age, build] of [...builds.entries()].toReversed()) make(build, age);
  removeOlderBuilds(folder);
  expect(readdirSync(folder).toSorted()).toEqual(builds.slice(0, 4));
});

test('a folder of another program stays, however old it is', () => {
  const builds = Array.from({ length: 5 }, (_, age) => `${`${age}`.repeat(16)}-v20.20.2-x64`);
  for (const [age, build] of builds.entries()) make(build, age);
  make('v22.23.5-x64-0123abcd-0', 10_000);
  removeOlderBuilds(folder);
  expect(readdirSync(folder).toSorted()).toEqual([...builds.slice(0, 4), 'v22.23.5-x64-0123abcd-0']);
});
