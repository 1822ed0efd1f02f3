import type { Random } from './random.ts';
import { isCalm, sleep } from './virtual-time.ts';
import type { VirtualWorker } from './worker.ts';

export interface Chaos {
  random: Random;
  /** Number of versions of the config. */
  versions: number;
  /** Lets the client lose its connection. */
  cutOff(ms: number): void;
  tell(line: string): void;
  /** Ends the chaos. */
  signal: AbortSignal;
}

/** Kills workers (somebody starts others), deploys, lets processes stand still or lose their connections, and takes caches. */
export async function disturb(workers: readonly VirtualWorker[], chaos: Chaos): Promise<void> {
  const { random, tell, signal, versions } = chaos;
  for (;;) {
    await sleep(random.int(500, 15_000));
    if (signal.aborted || isCalm()) return;
    if (workers.length === 0) continue;
    const worker = random.of(workers);
    const dice = random.next();
    const ms = random.int(1000, 40_000);
    if (!random.may('fault')) continue;
    if (dice < 0.25) {
      tell(`${worker.identity} is killed`);
      worker.kill();
    } else if (dice < 0.4) {
      tell(`${worker.identity} stands still for ${ms} ms`);
      worker.freeze(ms);
    } else if (dice < 0.5) {
      tell(`${worker.identity} has no connection for ${ms} ms`);
      worker.cutOff(ms);
    } else if (dice < 0.75) {
      tell(`${worker.identity} loses its cache`);
      worker.evict();
    } else if (dice < 0.8) {
      tell(`the clients have no connection for ${ms} ms`);
      chaos.cutOff(ms);
    } else if (dice < 0.85 && versions > 1) {
      await deploy(workers, chaos);
    }
  }
}

/** One worker after the other gives way to one of another version. */
async function deploy(workers: readonly VirtualWorker[], { random, tell, versions }: Chaos): Promise<void> {
  const version = random.int(0, versions - 1);
  tell(`version ${version} is deployed`);
  for (const worker of workers.slice()) {
    worker.nextVersion = version;
    worker.kill();
    await sleep(random.int(0, 8000));
  }
}
