import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Result } from '../../../bench/durability/contest.ts';
import { emptyScore } from '../../../bench/durability/judge.ts';
import {
  addResults,
  pageFile,
  pageWith,
  readResults,
  resultsFile,
} from '../../../bench/durability/results.ts';
import { storyOf } from '../../../bench/durability/stories.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const folder = tempFolder();
const marked = '# Page\n\n<!-- results -->\nold\n<!-- end of results -->\n';

const resultOf = (story: string, doubled: number): Result => ({
  contestant: 'reloop',
  story,
  date: '2026-11-28',
  versions: { reloop: '0.3.0' },
  score: { ...emptyScore(storyOf(story)), kills: 2, doubled },
});

test('a result takes the place of an earlier one, and the page has the latest', async () => {
  const file = join(folder, 'results.json');
  await addResults(file, [resultOf('long', 1), resultOf('payment', 1)]);
  await addResults(file, [resultOf('payment', 0)]);
  const results = await readResults(file);
  expect(results).toEqual([resultOf('payment', 0), resultOf('long', 1)]);
  const page = await pageWith(marked, results);
  expect(page).not.toContain('old');
  expect(page).toMatch(/^\| payment +\| 0 in 2/mu);
  expect(page).toMatch(/^\| long +\| 1 in 2/mu);
});

test('a page without marks is refused', async () => {
  await expect(pageWith('# Page\n', [resultOf('payment', 0)])).rejects.toThrow('no marks');
});

test('the page of the docs has the tables of results.json', async () => {
  const page = await readFile(pageFile, 'utf8');
  const results = await readResults(resultsFile);
  expect(results).not.toEqual([]);
  expect(page).toBe(await pageWith(page, results));
});
