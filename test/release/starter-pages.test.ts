import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../support/cli.ts';
import { textOf } from '../support/doc-pages.ts';
import { type PackedPackage, layOutPackage } from '../support/packed-package.ts';
import { isCommand, stepsOf } from '../support/page-commands.ts';
import { STARTER, followAsStarter } from '../support/starter.ts';
import { openTerminal } from '../support/terminal.ts';
import { isOfCheckout, starterPages } from '../support/typed-pages.ts';

/** The pages that go on where README.md ends, in the project that `reloop init` makes. */
let machine: PackedPackage;
beforeAll(async () => {
  machine = await layOutPackage();
  const terminal = openTerminal(machine.folder, machine.env);
  await terminal.type(`npx reloop init ${STARTER}`);
  await terminal.close();
});
afterAll(() => rmSync(machine.folder, { recursive: true, force: true }));

test.each(starterPages)('what %s says happens, from top to bottom', async (page) => {
  const folder = isOfCheckout(page) ? checkout() : HAS_OWN_CONFIG.has(page) ? ownProject() : STARTER;
  await followAsStarter(machine, page, folder);
  expect(stepsOf(textOf(page)).filter(isCommand)).not.toEqual([]);
});

/** Pages that write a config and schedules in place of the project's. */
const HAS_OWN_CONFIG = new Set(['docs/batches.md', 'docs/evals.md']);

/** Copies the project without its server's state. */
function ownProject(): string {
  const name = 'own-project';
  const [from, to] = [join(machine.folder, STARTER), join(machine.folder, name)];
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, filter: (path) => !path.endsWith('.reloop') });
  return name;
}

/** Copies the files of a checkout that the examples need. */
function checkout(): string {
  const name = 'checkout';
  const folder = join(machine.folder, name);
  cpSync(join(root, 'examples'), join(folder, 'examples'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  return name;
}
