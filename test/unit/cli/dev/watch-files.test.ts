import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type FileWatch, watchFiles } from '../../../../cli/dev/watch-files.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

let folder: string;
let changes: string[][];
/** Which of the changes are guesses. */
let guesses: boolean[];
let watch: FileWatch;

beforeEach(() => {
  folder = tempFolder(onTestFinished);
  [changes, guesses] = [[], []];
  const onChange = (files: string[], isGuess: boolean) => {
    changes.push(files);
    guesses.push(isGuess);
  };
  watch = watchFiles({ onChange, onPolling: () => undefined });
});
afterEach(() => watch.close());

function write(name: string, text = ''): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

/** What was told once `act` has been seen. */
async function told(act: () => void): Promise<string[][]> {
  const before = changes.length;
  act();
  await vi.waitFor(() => expect(changes.length).toBeGreaterThan(before), 30_000);
  return changes.slice(before);
}

describe('a watched file counts as changed', () => {
  test('when it is written, and other files of its folder do not', async () => {
    watch.add([write('a.ts')]);
    write('other.ts', 'not watched');
    expect(await told(() => write('a.ts', 'new'))).toEqual([[join(folder, 'a.ts')]]);
  });

  test('when another takes its place under its name, and at every later time as well', async () => {
    const file = write('a.ts', 'same');
    watch.add([file]);
    for (let time = 0; time < 2; time++) {
      const replaced = await told(() => {
        write('a.ts.tmp', 'same');
        renameSync(join(folder, 'a.ts.tmp'), file);
      });
      expect(replaced).toEqual([[file]]);
    }
  });

  test('when it is deleted and written again, with its folder', async () => {
    mkdirSync(join(folder, 'tools'));
    const file = write('tools/a.ts');
    watch.add([file]);
    expect(await told(() => rmSync(join(folder, 'tools'), { recursive: true }))).toEqual([[file]]);
    const again = await told(() => {
      mkdirSync(join(folder, 'tools'));
      write('tools/a.ts', 'new');
    });
    expect(again.flat()).toEqual([file]);
    expect(await told(() => write('tools/a.ts', 'newer'))).toEqual([[file]]);
  });

  test('when it comes to be', async () => {
    const file = join(folder, '.env');
    watch.add([file]);
    expect(await told(() => write('.env', 'A=1'))).toEqual([[file]]);
  });

  test('when the link to it leads elsewhere', async () => {
    const [first, second] = [write('first.ts'), write('second.ts')];
    const link = join(folder, 'link.ts');
    symlinkSync(first, link);
    watch.add([link]);
    const turned = await told(() => {
      rmSync(link);
      symlinkSync(second, link);
    });
    expect(turned).toEqual([[link]]);
  });
});

test('a thousand files that are written in one go are few changes', async () => {
  const files = Array.from({ length: 1_000 }, (_, index) => write(`${index}.ts`));
  watch.add(files);
  await told(() => files.forEach((_, index) => write(`${index}.ts`, 'new')));
  await vi.waitFor(() => expect(new Set(changes.flat()).size).toBe(1_000), 30_000);
  expect(changes.length).toBeLessThan(5);
});

test('a new file counts only while one is expected, and what editors leave behind never does', async () => {
  const file = write('a.ts');
  watch.add([file]);
  write('unexpected.ts');
  await sleep(300);
  watch.expectNew(true);
  write('.a.ts.swp');
  expect(await told(() => write('missing.ts'))).toEqual([[join(folder, 'missing.ts')]]);
  expect(changes).toHaveLength(1);
  await told(() => write('a.ts', 'new'));
  expect(guesses).toEqual([true, false]);
});

test('data that is written again and again counts at most once while a file is expected; code counts each time', async () => {
  watch.add([write('a.ts')]);
  write('data.json');
  watch.expectNew(true);
  write('data.json', 'again');
  write('log', 'new, and it may be a folder of code');
  await vi.waitFor(() => expect(changes.flat()).toContain(join(folder, 'log')), 30_000);
  write('log', 'again');
  write('data.json', 'and again');
  expect(await told(() => write('b.ts', '1'))).toEqual([[join(folder, 'b.ts')]]);
  expect(await told(() => write('b.ts', '2'))).toEqual([[join(folder, 'b.ts')]]);
  expect(changes.flat()).not.toContain(join(folder, 'data.json'));
  expect(changes.flat().filter((file) => file.endsWith('log'))).toHaveLength(1);
});
