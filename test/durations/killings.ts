import { setTimeout as sleep } from 'node:timers/promises';
import { AgentClient } from '../../client/index.ts';
import { type Command, reloop } from '../support/cli.ts';

export const SIGNALS = ['SIGKILL', 'SIGTERM'] as const;
export type Signal = (typeof SIGNALS)[number];

/** A worker process that is killed once, in the middle of all its calls, and its successor on the same machine. */
export interface Killing {
  /** Starts runs on the worker. */
  client: AgentClient;
  /** Resolves when a call has to begin that is to last so long until the worker is killed. */
  untilStart(seconds: number): Promise<void>;
  /** Says that a cell's call has lasted long enough. Resolves when the worker has been killed and another one is started. */
  killed(): Promise<void>;
  /** Number of calls that the successor takes for lost. */
  lost(): number;
  stop(): Promise<void>;
}

export interface KillingOptions {
  signal: Signal;
  /** Client of the same server. */
  client: AgentClient;
  folder: string;
  /** Longest duration. */
  longest: number;
  /** Number of cells that wait for the kill. */
  cells: number;
}

/** Time until a worker process is ready, and for calls to begin on a busy machine. */
const READY_MS = 15_000;
/** A cell whose call does not begin must not stop the others. */
const LATEST_MS = 60_000;

export function startKilling({ signal, client, folder, longest, cells }: KillingOptions): Killing {
  const taskQueue = `durations-${signal}`;
  const { address } = client;
  const workers: Command[] = [];
  const startWorker = () => {
    const config = 'test/durations/worker.config.ts';
    const args = ['worker', '--address', address, '--config', config, '--task-queue', taskQueue];
    const { DURATIONS_FOLDER = '', DURATIONS_SERVICES = '', DURATIONS_LONGEST = '' } = process.env;
    const env = {
      DURATIONS_FOLDER,
      DURATIONS_SERVICES,
      DURATIONS_LONGEST,
      RELOOP_STATE_DIR: `${folder}/${signal}`,
    };
    const worker = reloop([...args, '--concurrency', '1000'], env);
    workers.push(worker);
    return worker;
  };
  const from = performance.now() + READY_MS;
  const ready = new AbortController();
  let waiting = 0;
  const kill = async () => {
    const first = startWorker();
    const latest = from + longest * 1000 + LATEST_MS - performance.now();
    await sleep(latest, undefined, { signal: ready.signal }).catch(() => undefined);
    if (signal === 'SIGKILL') await first.killGroup();
    else {
      first.child.kill(signal);
      await first.exit;
    }
    startWorker();
  };
  let kills: Promise<void> | undefined;
  return {
    client: new AgentClient(client.temporal, address, taskQueue),
    async untilStart(seconds) {
      kills ??= kill();
      await sleep(Math.max(0, from + (longest - seconds) * 1000 - performance.now()));
    },
    async killed() {
      if (++waiting === cells) ready.abort();
      await kills;
    },
    lost: () => (workers.at(-1)?.stderr() ?? '').split('its former worker died').length - 1,
    async stop() {
      await Promise.all(workers.map((worker) => worker.killGroup()));
    },
  };
}
