import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { type Result, compete } from './contest.ts';
import { type Contestant, contestants, isInstalled } from './contestants.ts';
import { addResults, pageFile, pageWith, readResults, resultsFile } from './results.ts';
import { stories, storyOf } from './stories.ts';
import { table } from './table.ts';

/**
 * `npm run durability`: kills each contestant in each story, and prints a table of what became of the runs. `--json FILE` adds the results to
 * a file. `--page` kills nobody: it writes the tables of docs/durability.md from bench/durability/results.json.
 */

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    stories: { type: 'string' },
    kills: { type: 'string', default: '40' },
    json: { type: 'string' },
    page: { type: 'boolean' },
  },
});
if (values.page === true) {
  const page = await readFile(pageFile, 'utf8');
  await writeFile(pageFile, await pageWith(page, await readResults(resultsFile)));
} else await playAll();

async function playAll(): Promise<void> {
  const kills = Number(values.kills);
  if (!Number.isInteger(kills) || kills < 1) throw new Error(`--kills ${values.kills}: a number from 1.`);
  const options = {
    stories: values.stories?.split(',').map(storyOf) ?? stories,
    kills,
    say: (line: string) => console.error(line),
  };
  const chosen = values.only?.split(',').map(named) ?? contestants.filter(isInstalled);
  const results: Result[] = [];
  for (const contestant of chosen) {
    const played = await compete(contestant, options);
    if (values.json !== undefined) await addResults(values.json, played);
    results.push(...played);
  }
  console.log(table(results));
}

function named(name: string): Contestant {
  const found = contestants.find((one) => one.name === name);
  if (found === undefined)
    throw new Error(`No contestant "${name}": ${contestants.map((one) => one.name).join(', ')}.`);
  if (!isInstalled(found))
    throw new Error(`${name} is not installed: npm --prefix bench/durability/${found.packages} install`);
  return found;
}
