import type { Profile } from './profiles.ts';
import type { Random } from './random.ts';
import { isCalm, sleep } from './virtual-time.ts';
import type { VirtualWorker } from './worker.ts';

export interface Chaos {
  random: Random;
  profile: Profile;
  /** Number of versions of the config. */
  versions: number;
  /** Lets the client lose its connection. */
  cutOff(ms: number): void;
  /** Somebody pauses or resets an attempt that is under way, with Temporal's own commands. */
  operate(): void;
  tell(line: string): void;
  /** Ends the chaos. */
  signal: AbortSignal;
}

/** Share of each fault. For the rest of the time nothing happens. */
const usual = {
  kill: 0.25,
  freeze: 0.15,
  cutOff: 0.1,
  evict: 0.25,
  clients: 0.05,
  deploy: 0.05,
  operate: 0.03,
  none: 0.12,
};
export type Fault = keyof typeof usual | 'outage';

/** Kills workers (somebody starts others), deploys, lets processes stand still or lose their connections, and takes caches. */
export async function disturb(workers: readonly VirtualWorker[], chaos: Chaos): Promise<void> {
  const { random, profile, tell, signal, versions } = chaos;
  // Most simulations have frequent faults, and faults that never happen.
  const shares = Object.entries(usual).map(([fault, share]): [string, number] => [
    fault,
    profile.faults?.[fault as Fault] ?? share * random.of([0, 1, 1, 4]),
  ]);
  // Nobody reaches the server. Only some profiles have this.
  shares.push(['outage', profile.faults?.outage ?? 0]);
  const most = random.of([15_000, 15_000, 5000]);
  for (;;) {
    await sleep(random.int(500, most));
    if (signal.aborted) return;
    // Somebody misses what a later version does not have.
    if (isCalm()) return profile.options === undefined ? undefined : deploy(workers, chaos, 0);
    if (workers.length === 0) continue;
    const worker = random.of(workers);
    const fault = faultOf(shares, random.next());
    const ms = random.int(1000, 40_000);
    if (!random.may('fault')) continue;
    switch (fault) {
      case 'kill':
        tell(`${worker.identity} is killed`);
        worker.kill();
        break;
      case 'freeze':
        tell(`${worker.identity} stands still for ${ms} ms`);
        worker.freeze(ms);
        break;
      case 'cutOff':
        tell(`${worker.identity} has no connection for ${ms} ms`);
        worker.cutOff(ms);
        break;
      case 'evict':
        tell(`${worker.identity} loses its cache`);
        worker.evict();
        break;
      case 'clients':
        tell(`the clients have no connection for ${ms} ms`);
        chaos.cutOff(ms);
        break;
      case 'outage':
        tell(`nobody reaches the server for ${ms} ms`);
        for (const one of workers) one.cutOff(ms);
        chaos.cutOff(ms);
        break;
      case 'deploy':
        if (versions > 1) await deploy(workers, chaos, random.int(0, versions - 1));
        break;
      case 'operate':
        chaos.operate();
        break;
      case 'none':
    }
  }
}

/** `dice`: from 0 to 1. */
function faultOf(shares: readonly (readonly [string, number])[], dice: number): Fault {
  let left = dice * shares.reduce((sum, [, share]) => sum + share, 0);
  const [fault = 'none'] = shares.find(([, share]) => (left -= share) < 0) ?? [];
  return fault as Fault; // a key of the table
}

/** One worker after the other gives way to one of another version. */
async function deploy(
  workers: readonly VirtualWorker[],
  { random, tell }: Chaos,
  version: number,
): Promise<void> {
  tell(`version ${version} is deployed`);
  for (const worker of workers.slice()) {
    worker.nextVersion = version;
    worker.kill();
    await sleep(random.int(0, 8000));
  }
}
