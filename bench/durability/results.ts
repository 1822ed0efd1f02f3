import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import type { Result } from './contest.ts';
import { contestants, pathOf } from './contestants.ts';
import { stories } from './stories.ts';
import { RESULTS, tables } from './table.ts';

/** Results of the table in docs/durability.md. */
export const resultsFile = pathOf('results.json');
export const pageFile = pathOf('../../docs/durability.md');

export async function readResults(file: string): Promise<Result[]> {
  return existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as Result[]) : []; // of `addResults`
}

/** Adds results to a file, in place of earlier ones of the same contestant and story. */
export async function addResults(file: string, added: readonly Result[]): Promise<void> {
  const isNew = (result: Result) => added.some((one) => keyOf(one) === keyOf(result));
  const kept = (await readResults(file)).filter((result) => !isNew(result));
  const place = ({ contestant, story }: Result) =>
    contestants.findIndex(({ name }) => name === contestant) * stories.length +
    stories.findIndex(({ name }) => name === story);
  const all = [...kept, ...added].toSorted((a, b) => place(a) - place(b));
  await writeFile(
    file,
    await format(JSON.stringify(all), { ...(await resolveConfig(file)), filepath: file }),
  );
}

/** Returns the page with the tables of these results. Throws where the page has no place for them. */
export async function pageWith(page: string, results: readonly Result[]): Promise<string> {
  if (!RESULTS.test(page)) throw new Error('The page has no marks around its results.');
  const written = page.replace(RESULTS, () => `\n${tables(results)}\n\n`);
  return format(written, { ...(await resolveConfig(pageFile)), filepath: pageFile });
}

const keyOf = ({ contestant, story }: Result) => `${contestant} ${story}`;
