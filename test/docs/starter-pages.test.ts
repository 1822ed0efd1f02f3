import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../support/cli.ts';
import { textOf } from '../support/doc-pages.ts';
import { followPage } from '../support/follow-page.ts';
import { type PackedPackage, layOutPackage } from '../support/packed-package.ts';
import { isCommand, stepsOf } from '../support/page-commands.ts';
import { type Terminal, openTerminal } from '../support/terminal.ts';
import { isOfCheckout, starterPages } from '../support/typed-pages.ts';

/** A stranger's first day: README from top to bottom in an empty home, then the other pages in the project that it made. */
let machine: PackedPackage;
beforeAll(async () => {
  machine = await layOutPackage();
});
afterAll(() => rmSync(machine.folder, { recursive: true, force: true }));

test.each(starterPages)('what %s says happens, from top to bottom', async (page) => {
  const terminal = openTerminal(machine.folder, machine.env);
  // README begins before there is a project, and makes it.
  if (page !== 'README.md') await terminal.type(`cd ${isOfCheckout(page) ? checkout() : PROJECT}`);
  try {
    await followPage(page, {
      ...terminal,
      samples: [[machine.folder, '/home/you']],
      write: writer(terminal),
    });
  } finally {
    await terminal.close();
  }
  expect(stepsOf(textOf(page)).filter(isCommand)).not.toEqual([]);
});

/** What the examples need of a checkout, as its files are. */
function checkout(): string {
  const folder = join(machine.folder, 'checkout');
  for (const name of ['examples', 'reloop.config.ts'])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  return folder;
}

/** The name that README gives it. */
const PROJECT = 'my-agent';

/** Files stand where the reader stands. */
function writer({ folder }: Pick<Terminal, 'folder'>): (file: string, text: string) => void {
  return (file, text) => {
    mkdirSync(dirname(join(folder(), file)), { recursive: true });
    writeFileSync(join(folder(), file), text);
  };
}
