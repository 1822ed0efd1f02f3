/**
 * Runs simulations: `npm run simulate -- [--seed N] [--runs N] [--minutes N] [--steps N] [--profile NAME] [--story] [--first] [--shrink]`.
 * `--steps`: until so many steps are done, and prints their number now and then. `--profile`: only the seeds of this profile. `--first`: ends at
 * the first failure. `--shrink`: prints the story of each failure, without the words and faults that it does not need.
 */
import { parseArgs } from 'node:util';
import { shrink } from './shrink.ts';
import { loadSandbox, profileOfSeed, simulate } from './simulate.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    runs: { type: 'string', default: '100' },
    minutes: { type: 'string' },
    steps: { type: 'string' },
    profile: { type: 'string' },
    story: { type: 'boolean', default: false },
    first: { type: 'boolean', default: false },
    shrink: { type: 'boolean', default: false },
  },
});
const first = Number(values.seed);
const runs = values.minutes === undefined && values.steps === undefined ? Number(values.runs) : Infinity;
const steps = Number(values.steps ?? Infinity);
/** Simulations between two lines with the number of steps. */
const BETWEEN = 50;
const until = values.minutes === undefined ? Infinity : performance.now() + Number(values.minutes) * 60_000;
const sandbox = await loadSandbox();
const began = performance.now();
let activations = 0;
let events = 0;
let done = 0;
const failed: number[] = [];
const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
for (
  let seed = first;
  seed < first + runs &&
  activations + events < steps &&
  performance.now() < until &&
  !interrupted.signal.aborted;
  seed++
) {
  if (values.profile !== undefined && profileOfSeed(seed).name !== values.profile) continue;
  const simulated = await simulate(sandbox, seed);
  activations += simulated.activations;
  events += simulated.events;
  done++;
  if (values.steps !== undefined && done % BETWEEN === 0) console.log(total(seed));
  if (values.story) console.log(simulated.story.join('\n'));
  if (simulated.problems.length === 0) continue;
  failed.push(seed);
  console.log(`seed ${seed}:`);
  for (const problem of simulated.problems) console.log(`  ${problem}`);
  if (values.shrink) {
    const { story, deeds } = await shrink(sandbox, simulated);
    console.log(
      `${deeds.length} of ${simulated.deeds.length} words and faults are left:\n${story.join('\n')}`,
    );
  }
  if (values.first) break;
}
console.log(total());
process.exit(failed.length === 0 ? 0 : 1);

function total(last?: number): string {
  const seconds = (performance.now() - began) / 1000;
  const seeds = last === undefined ? `from seed ${first}` : `from seed ${first} to ${last}`;
  return `${done} simulations ${seeds}, ${activations + events} steps (${activations} activations of workflows, ${events} events), ${seconds.toFixed(1)} s: ${failed.length} failed ${failed.join(' ')}`;
}
