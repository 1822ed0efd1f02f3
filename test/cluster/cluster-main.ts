/** Temporal on PostgreSQL with three workers, natively, until Ctrl-C: `npm run cluster -- [--config FILE]`. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startCluster } from './cluster.ts';
import { startWorkers } from './workers.ts';

const { values } = parseArgs({
  options: { config: { type: 'string', default: 'examples/reloop.config.ts' } },
});
const interrupted = new Promise((resolve) => process.on('SIGINT', resolve).on('SIGTERM', resolve));
const folder = await mkdtemp(join(tmpdir(), 'reloop-cluster-'));
const stops = [() => rm(folder, { recursive: true, force: true })];
try {
  const cluster = await startCluster({ folder, say: console.error });
  stops.push(() => cluster.stop());
  const { address, databaseUrl } = cluster;
  const workers = await startWorkers({ folder, address, config: values.config });
  stops.push(async () => void (await Promise.all(workers.map((worker) => worker.stop()))));
  console.log(`Temporal     ${address}
PostgreSQL   ${databaseUrl}
Workers      3, of ${values.config}
Logs         ${folder}

In another terminal: TEMPORAL_ADDRESS=${address} node dist/cli/main.js list
Ctrl-C ends all of it, and removes its data.`);
  await interrupted;
} finally {
  for (const stop of stops.toReversed()) await stop();
}
