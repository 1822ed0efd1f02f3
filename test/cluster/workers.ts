import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/cli.ts';
import { until } from '../support/processes.ts';
import { Supervised } from './supervised.ts';

export interface WorkersOptions {
  folder: string;
  address: string;
  /** A path in this repository. Default: its own config. */
  config?: string;
  env?: { [name: string]: string };
  /** More variables of each, in their order. */
  ownEnv?: readonly { [name: string]: string }[] | undefined;
  /** Versions of the workers, in their order. Default: none. */
  versions?: readonly string[] | undefined;
  pauseMs?: () => number;
}

/** A machine for each worker. Workers of one machine share a state folder. */
export const MACHINES = ['one', 'one', 'other'];

/** Three workers, supervised. */
export async function startWorkers(options: WorkersOptions): Promise<Supervised[]> {
  const { folder, address, config = 'examples/reloop.config.ts', env, ownEnv, versions, pauseMs } = options;
  const log = (name: string) => join(folder, `${name}.log`);
  const workers = MACHINES.map((machine, index) => {
    const name = `worker-${index + 1}`;
    return new Supervised({
      name,
      file: process.execPath,
      args: ['dist/cli/main.js', 'worker', '--address', address, '--config', config],
      cwd: root,
      log: log(name),
      env: {
        RELOOP_STATE_DIR: join(folder, `state-${machine}`),
        RELOOP_VERSION: versions?.[index] ?? '',
        ...env,
        ...ownEnv?.[index],
      },
      pauseMs,
    });
  });
  const areReady = () => workers.every(({ name }) => readLog(log(name)).includes('Worker ready'));
  const failed = () => workers.find(({ starts }) => starts > MOST_STARTS);
  await until(() => areReady() || failed() !== undefined);
  const { name } = failed() ?? {};
  if (name === undefined) return workers;
  await Promise.all(workers.map((worker) => worker.stop()));
  throw new Error(`${name} does not start:\n${readLog(log(name))}`);
}

/** A worker that ends before it is ready will do so again. */
const MOST_STARTS = 2;

function readLog(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
