import { TimeoutFailure } from '@temporalio/common';
import { readSteps, stepTimes } from './step-times.ts';
import { processorMsDuring } from './processor-time.ts';
import type { Entrant, Rig } from './rig.ts';

/** One run of so many steps. */
export interface LongRun {
  steps: number;
  round: number;
  contestant: string;
  /** `timed out`: it may have come to an answer in the end. */
  end: 'answered' | 'dead' | 'timed out';
  /** Why the run has no answer; what follows is then of the steps it took. */
  error?: string;
  stepsTaken: number;
  /** From the start to the answer, as its user has it, a step. */
  msPerStep: number;
  /** By history: of the first and of the last tenth of the steps. */
  firstTenthMs: number;
  lastTenthMs: number;
  bytesPerStep: number;
  eventsPerStep: number;
  actionsPerStep: number;
}

let runs = 0;
const newId = ({ name }: Entrant) => `${name}-${++runs}`;

export async function measureLongRun(
  rig: Rig,
  entrant: Entrant,
  steps: number,
): Promise<Omit<LongRun, 'round'>> {
  const id = newId(entrant);
  const began = performance.now();
  const failure = await entrant.run(entrant.place, id, steps).then(
    () => undefined,
    (reason: unknown) => rootCause(reason),
  );
  const ms = performance.now() - began;
  const recorded = await readSteps(rig.temporal, id, entrant.modelActivity);
  const { first, last } = stepTimes(recorded);
  const taken = Math.max(recorded.begins.length - 1, 0);
  return {
    steps,
    contestant: entrant.name,
    ...(failure === undefined ? { end: 'answered' } : { end: endOf(failure), error: wordsOf(failure) }),
    stepsTaken: taken,
    msPerStep: ms / taken,
    firstTenthMs: first,
    lastTenthMs: last,
    bytesPerStep: recorded.bytes / taken,
    eventsPerStep: recorded.events / taken,
    actionsPerStep: recorded.actions / taken,
  };
}

/** Many short runs, so many at a time. */
export interface ShortRuns {
  concurrency: number;
  round: number;
  contestant: string;
  /** Steps of each run. */
  steps: number;
  runsPerSecond: number;
  /** Processor time a step, in ms. */
  workerCpuMs: number;
  serverCpuMs: number;
}

const WAVES = 3;
/** One run of 5 steps takes a tenth of a second, which says little; three waves of 64 runs would take long. */
const LEAST_STEPS = 50;
const MOST_STEPS = 640;

export async function measureShortRuns(
  rig: Rig,
  entrant: Entrant,
  concurrency: number,
  steps: number,
): Promise<Omit<ShortRuns, 'round'>> {
  const runsOf = (all: number) => Math.ceil(all / steps);
  const count = Math.max(concurrency, runsOf(LEAST_STEPS), Math.min(WAVES * concurrency, runsOf(MOST_STEPS)));
  const pids = [entrant.pid, rig.serverPid];
  const began = performance.now();
  let left = count;
  const driveOne = async () => {
    while (left-- > 0) await entrant.run(entrant.place, newId(entrant), steps);
  };
  const [workerMs = Number.NaN, serverMs = Number.NaN] = await processorMsDuring(pids, () =>
    Promise.all(Array.from({ length: concurrency }, driveOne)),
  );
  const ms = performance.now() - began;
  const taken = count * steps;
  return {
    concurrency,
    contestant: entrant.name,
    steps,
    runsPerSecond: (count * 1000) / ms,
    workerCpuMs: workerMs / taken,
    serverCpuMs: serverMs / taken,
  };
}

function rootCause(reason: unknown): unknown {
  return reason instanceof Error && reason.cause !== undefined ? rootCause(reason.cause) : reason;
}

function endOf(failure: unknown): LongRun['end'] {
  return failure instanceof TimeoutFailure ? 'timed out' : 'dead';
}

function wordsOf(failure: unknown): string {
  return (failure instanceof Error ? failure.message : String(failure)).split('\n')[0] ?? '';
}
