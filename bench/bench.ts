/**
 * What does a step of Reloop cost, in time, processor time and history, beside the same loop written by hand and, where
 * they are installed, Temporal's plugins for other agent libraries? All of them in one run, taking turns: docs/performance.md.
 */
import { writeFile } from 'node:fs/promises';
import { type BenchOptions, USAGE, benchOptions } from './bench-options.ts';
import { type Contestant, chooseContestants } from './contestants.ts';
import { type LongRun, type ShortRuns, measureLongRun, measureShortRuns } from './measures.ts';
import { printedResults } from './print-results.ts';
import type { Results } from './results.ts';
import { type Entrant, type Rig, progress, withRig } from './rig.ts';

const [options, chosen] = readOptions();
await withRig(chosen, { observationBytes: options.observation }, async (rig) => {
  const results = await measure(rig, options);
  console.log(`${printedResults(results)}\n`);
  console.log(
    'Numbers are medians of the rounds, with the least and the most of them; so are the ratios, of the ratios of each round.',
  );
  for (const { name, what } of chosen) console.log(`${name}: ${what}`);
  const { json, ...asked } = options;
  if (json === undefined) return;
  await writeFile(json, `${JSON.stringify({ at: new Date(), options: asked, ...results }, undefined, 2)}\n`);
});

function readOptions(): [BenchOptions, Contestant[]] {
  try {
    const read = benchOptions(process.argv.slice(2));
    return [read, chooseContestants(read.only)];
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
    process.exit(2);
  }
}

/** Round by round, each measure is taken of one contestant after the other. */
async function measure(rig: Rig, { rounds, steps, concurrency, runSteps }: BenchOptions): Promise<Results> {
  const { entrants } = rig;
  const longRuns: LongRun[] = [];
  const shortRuns: ShortRuns[] = [];
  for (const entrant of entrants) {
    progress(`warming up ${entrant.name} …`);
    await measureShortRuns(rig, entrant, Math.min(16, Math.max(...concurrency)), runSteps);
  }
  for (let round = 0; round < rounds; round++) {
    const say = (what: string) => progress(`round ${round + 1} of ${rounds}: ${what}`);
    for (const size of steps)
      for (const entrant of inTurn(entrants, round)) {
        if (hasDied(longRuns, entrant, size)) continue;
        const run = await measureLongRun(rig, entrant, size);
        longRuns.push({ ...run, round });
        say(`${entrant.name}, ${size} steps: ${run.error ?? `${run.msPerStep.toFixed(1)} ms a step`}`);
      }
    for (const level of concurrency)
      for (const entrant of inTurn(entrants, round)) {
        const measured = await measureShortRuns(rig, entrant, level, runSteps);
        shortRuns.push({ ...measured, round });
        say(`${entrant.name}, ${level} at a time: ${measured.runsPerSecond.toFixed(1)} runs/s`);
      }
  }
  return { longRuns, shortRuns };
}

/** Each round begins with another one, so that nobody always comes behind the same. */
function inTurn(entrants: Entrant[], round: number): Entrant[] {
  const first = round % entrants.length;
  return [...entrants.slice(first), ...entrants.slice(0, first)];
}

/** What was too long once is too long in each round, and takes its time. */
function hasDied(runs: LongRun[], { name }: Entrant, size: number): boolean {
  return runs.some(
    ({ contestant, steps, end }) => contestant === name && steps === size && end !== 'answered',
  );
}
