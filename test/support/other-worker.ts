import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { afterAll, beforeAll, inject } from 'vitest';

/** A worker of somebody else's for the tests of one file: plain activities that know nothing of Reloop. */
export function useOtherWorker(
  options: Pick<WorkerOptions, 'taskQueue' | 'activities' | 'shutdownGraceTime'>,
): void {
  let connection: NativeConnection | undefined;
  let worker: Worker | undefined;
  let running: Promise<void> | undefined;
  beforeAll(async () => {
    connection = await NativeConnection.connect({ address: inject('temporalAddress') });
    worker = await Worker.create({ connection, ...options });
    running = worker.run();
  }, 60_000);
  afterAll(async () => {
    worker?.shutdown();
    await running;
    await connection?.close();
  });
}
