import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { textOf } from '../support/doc-pages.ts';
import { followPage } from '../support/follow-page.ts';
import { type PackedPackage, layOutPackage } from '../support/packed-package.ts';
import { isCommand, stepsOf } from '../support/page-commands.ts';
import { startPageProject } from '../support/page-project.ts';
import { bookkeeperPages } from '../support/typed-pages.ts';

/**
 * Each command of the pages on running agents prints what its page shows, in the project of test/fixtures/transcripts beside a
 * `reloop dev`. UPDATE_TRANSCRIPTS=1 writes into the pages what has changed.
 */
let machine: PackedPackage;
beforeAll(async () => {
  machine = await layOutPackage();
}, 120_000);
afterAll(() => rmSync(machine.folder, { recursive: true, force: true }));

// Each command is a process: on a machine with a lot to do they take their time.
test.each(bookkeeperPages)(
  'what %s says happens, from top to bottom',
  async (page) => {
    const project = await startPageProject(machine);
    try {
      await followPage(page, { ...project, write: () => undefined });
    } finally {
      await project.stop();
    }
    expect(stepsOf(textOf(page)).filter(isCommand)).not.toEqual([]);
  },
  900_000,
);
