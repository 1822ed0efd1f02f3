import type { Random } from './random.ts';
import { sleep } from './virtual-time.ts';
import type { VirtualWorker } from './worker.ts';

/** Kills workers, lets them stand still, and takes their caches, until `signal` is aborted. */
export async function disturb(
  workers: VirtualWorker[],
  start: () => VirtualWorker,
  random: Random,
  tell: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    await sleep(random.int(500, 15_000));
    if (signal.aborted) return;
    const worker = random.of(workers);
    const dice = random.next();
    if (dice < 0.25) {
      tell(`${worker.identity} is killed`);
      worker.kill();
      workers[workers.indexOf(worker)] = start();
    } else if (dice < 0.4) {
      const ms = random.int(1000, 40_000);
      tell(`${worker.identity} stands still for ${ms} ms`);
      worker.freeze(ms);
    } else if (dice < 0.7) {
      tell(`${worker.identity} loses its cache`);
      worker.evict();
    }
  }
}
