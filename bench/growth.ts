/**
 * Does a step get dearer as a run gets longer? One run of 8 KB observations whose model sees the last steps only.
 *
 *     node --import tsx bench/growth.ts [steps, default 10000]
 */
import { trimmed } from './contestants.ts';
import { progress, withRig } from './rig.ts';
import { type RecordedSteps, mean, readSteps } from './step-times.ts';

const OBSERVATION_BYTES = 8192;
const PARTS = 10;
const SHOW_MS = 10_000;
const ID = 'growth';
const steps = Number(process.argv[2] ?? 10_000);

await withRig(
  [trimmed],
  { observationBytes: OBSERVATION_BYTES },
  async ({ entrants: [entrant], temporal }) => {
    if (entrant === undefined) return;
    const began = performance.now();
    const seconds = () => Math.round((performance.now() - began) / 1000);
    const handle = temporal.workflow.getHandle(ID);
    const show = setInterval(() => {
      handle.describe().then(
        ({ historyLength }) => progress(`${seconds()} s: ${historyLength} events since it last began anew`),
        () => undefined, // not started yet
      );
    }, SHOW_MS);
    await entrant.run(entrant.place, ID, steps).finally(() => clearInterval(show));
    console.log(`${steps} steps with their result read in ${seconds()} s`);
    printParts(await readSteps(temporal, ID, entrant.modelActivity));
  },
);

function printParts({ begins, bytes, events }: RecordedSteps): void {
  const taken = begins.length - 1;
  console.log('   steps  ms/step');
  for (let part = 0; part < PARTS; part++) {
    const [from, to] = [part, part + 1].map((edge) => Math.round((edge * taken) / PARTS));
    if (from === undefined || to === undefined || from === to) continue;
    console.log(`${String(to).padStart(8)} ${mean(begins, from, to).toFixed(1).padStart(8)}`);
  }
  console.log(`${(bytes / taken).toFixed(0)} bytes and ${(events / taken).toFixed(1)} events a step`);
}
