import { fileURLToPath } from 'node:url';
import { NativeConnection, Runtime, Worker, makeTelemetryFilterString } from '@temporalio/worker';

/** As contestants/serve.ts, with these packages: a worker for as long as the bench is there. */
export async function serve(workflows, plugin) {
  const { BENCH_ADDRESS, BENCH_QUEUE, BENCH_OBSERVATION, BENCH_WORKER_SETTINGS } = process.env;
  const nothing = () => undefined;
  const logger = {
    log: nothing,
    trace: nothing,
    debug: nothing,
    info: nothing,
    warn: nothing,
    error: nothing,
  };
  // Each payload over half a MB is warned of.
  const filter = makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' });
  Runtime.install({ logger, shutdownSignals: [], telemetryOptions: { logging: { filter } } });
  const connection = await NativeConnection.connect({ address: BENCH_ADDRESS });
  const observed = 'x'.repeat(Number(BENCH_OBSERVATION));
  const worker = await Worker.create({
    ...JSON.parse(BENCH_WORKER_SETTINGS),
    connection,
    taskQueue: BENCH_QUEUE,
    workflowsPath: fileURLToPath(new URL(workflows, import.meta.url)),
    plugins: [plugin],
    activities: { look: async () => observed },
  });
  process.on('disconnect', () => worker.shutdown());
  const running = worker.run();
  process.send({});
  await running;
  await connection.close();
}
