/** Kills real processes under real runs: `npm run chaos -- [--minutes N] [--seed N] [--runs N] [--postgres] [--encrypted] [--versions] [--prometheus]`. */
import { parseArgs } from 'node:util';
import { runChaos } from './chaos.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    runs: { type: 'string' },
    postgres: { type: 'boolean', default: false },
    encrypted: { type: 'boolean', default: false },
    versions: { type: 'boolean', default: false },
    prometheus: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed);
const began = performance.now();
const say = (line: string) => console.error(`${((performance.now() - began) / 1000).toFixed(1)} s  ${line}`);
const { broken, counts } = await runChaos({
  seed,
  seconds: Number(values.minutes) * 60,
  postgres: values.postgres,
  encrypted: values.encrypted,
  versions: values.versions,
  prometheus: values.prometheus,
  // At a time: what one machine takes.
  open: Number(values.runs ?? (values.postgres ? 200 : 40)),
  say,
});
for (const [what, count] of Object.entries(counts))
  console.log(`${what.padEnd(44)} ${String(count).padStart(6)}`);
for (const sentence of broken) console.log(sentence);
console.log(`seed ${seed}: ${broken.length === 0 ? 'all laws hold' : `${broken.length} laws are broken`}`);
process.exit(broken.length === 0 ? 0 : 1);
