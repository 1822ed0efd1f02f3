import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { type Result, compete, pathOf } from './contest.ts';
import { type Contestant, contestants } from './contestants.ts';
import { stories, storyOf } from './stories.ts';
import { table } from './table.ts';

/** `npm run durability`: kills each contestant in each story, and prints a table of what became of the runs. */

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    stories: { type: 'string' },
    kills: { type: 'string', default: '40' },
    json: { type: 'string' },
  },
});
const kills = Number(values.kills);
if (!Number.isInteger(kills) || kills < 1) throw new Error(`--kills ${values.kills}: a number from 1.`);
const options = {
  stories: values.stories?.split(',').map(storyOf) ?? stories,
  kills,
  say: (line: string) => console.error(line),
};
const chosen = values.only?.split(',').map(named) ?? contestants.filter(isInstalled);

const results: Result[] = [];
for (const contestant of chosen) results.push(...(await compete(contestant, options)));
console.log(table(results));
if (values.json !== undefined) await writeFile(values.json, JSON.stringify(results, null, 2));

function named(name: string): Contestant {
  const found = contestants.find((one) => one.name === name);
  if (found === undefined)
    throw new Error(`No contestant "${name}": ${contestants.map((one) => one.name).join(', ')}.`);
  if (!isInstalled(found))
    throw new Error(`${name} is not installed: npm --prefix bench/durability/${found.packages} install`);
  return found;
}

function isInstalled({ packages }: Contestant): boolean {
  return packages === undefined || existsSync(pathOf(`${packages}/node_modules`));
}
