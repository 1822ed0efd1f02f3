import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { textOf } from '../support/doc-pages.ts';
import { type PackedPackage, layOutPackage } from '../support/packed-package.ts';
import { isCommand, stepsOf } from '../support/page-commands.ts';
import { followAsStarter } from '../support/starter.ts';

/** A stranger's first day, in an empty home. */
let machine: PackedPackage;
beforeAll(async () => {
  machine = await layOutPackage();
});
afterAll(() => rmSync(machine.folder, { recursive: true, force: true }));

test('what README.md says happens, from top to bottom', async () => {
  await followAsStarter(machine, 'README.md');
  expect(stepsOf(textOf('README.md')).filter(isCommand)).not.toEqual([]);
});
