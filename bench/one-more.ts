/**
 * Measures what one more of a thing costs, and whether the thousandth is as cheap as the tenth: agents of a config, tools of an agent, runs that wait, runs that have
 * ended, steps of a run, messages of a session, calls that wait, streams of a run, MCP servers. Processor time is that of this process, which is
 * the worker, the client and the gateway; Temporal's server is another one.
 *
 *     node --import tsx bench/one-more.ts [--only steps,tools] [--sizes 1,10,100,1000] [--rounds 3]      after `npm run build`
 */
import { parseArgs } from 'node:util';
import { agents } from './one-more/agents.ts';
import { measures } from './one-more/measures.ts';
import { type Cost, slopes } from './one-more/slopes.ts';
import { aligned } from './print-results.ts';
import { median } from './results.ts';
import { progress } from './rig.ts';
import { startWorkerHere } from './worker-here.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    sizes: { type: 'string', default: '1,10,100,1000' },
    rounds: { type: 'string', default: '3' },
  },
});
const sizes = values.sizes.split(',').map(Number);
const chosen = measures.filter(({ name }) => values.only?.split(',').includes(name) ?? true);
if (chosen.length === 0)
  throw new Error(`--only ${values.only}: one of ${measures.map(({ name }) => name).join(', ')}.`);

const countsOf = ({ most = Infinity }) => sizes.map((size) => Math.min(size, most));
const here = await startWorkerHere('one-more', agents([...new Set(chosen.flatMap(countsOf))]));
try {
  const head = ['of', 'cost', ...sizes.map((size) => size.toLocaleString('en')), 'one more', 'growth'];
  const rows = [head];
  for (const one of chosen) {
    const { name, what, measure } = one;
    const counts = countsOf(one);
    await measure(here, 1); // warms up
    const costs: Cost[] = [];
    for (const size of counts) {
      const rounds: Cost[] = [];
      for (let round = 0; round < Number(values.rounds); round++) rounds.push(await measure(here, size));
      costs.push(medians(rounds));
      progress(`${name} ${size}: ${JSON.stringify(costs.at(-1))}`);
    }
    for (const [index, cost] of Object.keys(costs[0] ?? {}).entries()) {
      const found = costs.map((measured) => measured[cost] ?? Number.NaN);
      const { oneMore, growth } = slopes(counts, found);
      const cells = found.map((value, at) => short(value) + differing(counts[at], sizes[at]));
      rows.push([index === 0 ? what : '', cost, ...cells, short(oneMore), growth.toFixed(2)]);
    }
  }
  console.log(aligned(rows));
} finally {
  await here.stop();
}
process.exit();

function medians(rounds: readonly Cost[]): Cost {
  const names = Object.keys(rounds[0] ?? {});
  return Object.fromEntries(
    names.map((name) => [name, median(rounds.map((one) => one[name] ?? Number.NaN))]),
  );
}

/** The count of a cell, where the column's is more than there can be. */
function differing(count: number | undefined, size: number | undefined): string {
  return count === size ? '' : ` (${count})`;
}

/** Three digits, for a table. */
function short(value: number): string {
  return Math.abs(value) >= 100
    ? Math.round(value).toLocaleString('en')
    : String(Number(value.toPrecision(2)));
}
