/**
 * How does a full machine slow agents down, beside a loop written by hand? So many runs at once on one worker, with a model
 * of 1.5 s and a tool of 0.2 s. Contestants take turns.
 *
 *     node --import tsx bench/overload.ts [--runs 100] [--steps 5] [--rounds 2] [--only floor,append,reloop] [--postgres]
 */
import { parseArgs } from 'node:util';
import { requiredTsToMs } from '@temporalio/common/lib/time.js';
import { chooseContestants } from './contestants.ts';
import { aligned } from './print-results.ts';
import { processorMsDuring } from './processor-time.ts';
import { comparedPairs, median, ofContestant, ratios } from './results.ts';
import { type Entrant, type Rig, progress, withRig } from './rig.ts';

const MODEL_MS = 1500;
const TOOL_MS = 200;
const OBSERVATION_BYTES = 2048;

interface Crowd {
  contestant: string;
  round: number;
  stepsPerSecond: number;
  /** Time from the end of one call until the next call begins, in ms, by the server's clock. */
  p50: number;
  p90: number;
  p99: number;
  /** Workflow tasks that nobody took from a worker's own queue. */
  stickyTimeouts: number;
  /** Processor time a step, in ms. */
  worker: number;
  server: number;
  client: number;
}

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100' },
    steps: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '2' },
    only: { type: 'string', default: 'floor,append,reloop' },
    postgres: { type: 'boolean', default: false },
  },
});
const [runs, steps, rounds] = [Number(values.runs), Number(values.steps), Number(values.rounds)];
const chosen = chooseContestants(values.only.split(','));
const crowds: Crowd[] = [];

await withRig(
  chosen,
  {
    observationBytes: OBSERVATION_BYTES,
    modelMs: MODEL_MS,
    toolMs: TOOL_MS,
    onPostgres: values.postgres,
    worker: 'usual',
  },
  async (rig) => {
    for (const entrant of rig.entrants) await measure(rig, entrant, `warm-${entrant.name}`, 4);
    for (let round = 0; round < rounds; round++)
      for (const entrant of round % 2 === 0 ? rig.entrants : rig.entrants.toReversed()) {
        const measured = await measure(rig, entrant, `${entrant.name}-${round}`, runs);
        crowds.push({ ...measured, round });
        progress(JSON.stringify(crowds.at(-1)));
      }
  },
);
const ideal = (runs * steps * 1000) / ((steps + 1) * MODEL_MS + steps * TOOL_MS);
console.log(`${runs} runs of ${steps} steps at once; without any overhead: ${ideal.toFixed(1)} steps/s`);
const columns = [
  'stepsPerSecond',
  'p50',
  'p90',
  'p99',
  'stickyTimeouts',
  'worker',
  'server',
  'client',
] as const;
type Column = (typeof columns)[number];
const names = chosen.map(({ name }) => name);
const pairs = comparedPairs(names);
const cells = (digits: number, value: (column: Column) => number) =>
  columns.map((column) => value(column).toFixed(digits));
console.log(
  aligned([
    ['', ...columns],
    ...names.map((name) => [
      name,
      ...cells(1, (column) => median(ofContestant(crowds, name, (one) => one[column]))),
    ]),
    ...pairs.map((pair) => [
      pair.join('/'),
      ...cells(2, (column) => median(ratios(crowds, pair, (one) => one[column]))),
    ]),
  ]),
);

async function measure(
  rig: Rig,
  entrant: Entrant,
  prefix: string,
  count: number,
): Promise<Omit<Crowd, 'round'>> {
  const pids = [entrant.pid, rig.serverPid, process.pid];
  const began = performance.now();
  const ids = Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
  const used = await processorMsDuring(pids, () =>
    Promise.all(ids.map((id) => entrant.run(entrant.place, id, steps))),
  );
  const seconds = (performance.now() - began) / 1000;
  const [worker = Number.NaN, server = Number.NaN, client = Number.NaN] = used.map(
    (ms) => ms / (count * steps),
  );
  const gaps: number[] = [];
  let stickyTimeouts = 0;
  for (const workflowId of ids) {
    let endedAt: number | undefined;
    const { events } = await rig.temporal.workflow.getHandle(workflowId).fetchHistory();
    for (const {
      eventTime,
      activityTaskStartedEventAttributes: begun,
      activityTaskCompletedEventAttributes: ended,
      workflowTaskTimedOutEventAttributes: timedOut,
    } of events ?? []) {
      const at = requiredTsToMs(eventTime, 'eventTime');
      if (begun && endedAt !== undefined) gaps.push(at - endedAt);
      if (ended) endedAt = at;
      if (timedOut) stickyTimeouts++;
    }
  }
  const sorted = gaps.toSorted((a, b) => a - b);
  const part = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
  return {
    contestant: entrant.name,
    stepsPerSecond: (count * steps) / seconds,
    p50: part(0.5),
    p90: part(0.9),
    p99: part(0.99),
    stickyTimeouts,
    worker,
    server,
    client,
  };
}
