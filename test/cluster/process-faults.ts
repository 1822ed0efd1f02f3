import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../simulation/random.ts';
import type { ModelState } from './chaos-model.ts';
import type { Supervised } from './supervised.ts';

export interface FaultOptions {
  random: Random;
  workers: readonly Supervised[];
  /** Kills the server; it starts again. */
  killServer(): Promise<void>;
  postgres?: Supervised | undefined;
  model: ModelState;
  /** Counts a fault, and says it. */
  did(what: string): void;
  /** Ends the faults. */
  signal: AbortSignal;
}

/** Longer than the heartbeat time-out, 10 s: calls of the worker are given to others meanwhile. */
const STANDSTILL_MS = [12_000, 20_000] as const;
const OUTAGE_MS = 12_000;
/** One of each kind and two kills, then again. */
const DECK = ['kill', 'kill', 'kill all', 'stand still', 'end', 'server', 'database', 'outage'] as const;

/** Kills and stops processes until the signal; each of them starts again. */
export async function makeFaults(options: FaultOptions): Promise<void> {
  const { random, workers, signal } = options;
  let deck: (typeof DECK)[number][] = [];
  for (;;) {
    await sleep(random.int(2000, 8000), undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    if (deck.length === 0) deck = [...DECK];
    const [fault = 'kill'] = deck.splice(random.int(0, deck.length - 1), 1);
    await make(fault, random.of(workers), options);
  }
}

async function make(fault: (typeof DECK)[number], worker: Supervised, options: FaultOptions): Promise<void> {
  const { random, workers, postgres, did } = options;
  switch (fault) {
    case 'kill':
      return kill(worker, options);
    case 'kill all':
      return workers.forEach((each) => kill(each, options));
    case 'stand still':
      return void standStill(worker, options);
    case 'end':
      did('SIGTERM of a worker');
      worker.kill('SIGCONT');
      worker.kill('SIGTERM');
      return;
    case 'server':
      did('SIGKILL of the Temporal server');
      return options.killServer();
    case 'outage':
      return void outage(options);
    case 'database': {
      if (postgres === undefined) return;
      const isCrash = random.chance(0.5);
      did(isCrash ? 'crash of PostgreSQL' : 'restart of PostgreSQL');
      // PostgreSQL's immediate and fast shutdown.
      postgres.kill(isCrash ? 'SIGQUIT' : 'SIGINT');
    }
  }
}

function kill(worker: Supervised, { did }: FaultOptions): void {
  did('SIGKILL of a worker');
  worker.kill('SIGKILL');
}

/** The process that is woken may be another one by then: SIGCONT does nothing to it. */
async function standStill(worker: Supervised, { random, did, signal }: FaultOptions): Promise<void> {
  did('SIGSTOP of a worker');
  worker.kill('SIGSTOP');
  await sleep(random.int(...STANDSTILL_MS), undefined, { signal }).catch(() => undefined);
  worker.kill('SIGCONT');
}

async function outage({ model, did, signal }: FaultOptions): Promise<void> {
  did('outage of the model');
  model.isOut = true;
  await sleep(OUTAGE_MS, undefined, { signal }).catch(() => undefined);
  model.isOut = false;
}
