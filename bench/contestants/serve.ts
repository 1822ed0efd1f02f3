import { NativeConnection, Runtime, type Worker } from '@temporalio/worker';
import { z } from 'zod/v4';

const settingsSchema = z.object({
  BENCH_ADDRESS: z.string(),
  BENCH_QUEUE: z.string(),
  /** How large an observation is. */
  BENCH_OBSERVATION: z.coerce.number(),
  OPENAI_BASE_URL: z.string(),
  BENCH_MODEL_MS: z.coerce.number(),
  BENCH_TOOL_MS: z.coerce.number(),
  BENCH_WORKER: z.enum(['ours', 'usual']),
  BENCH_HEARTBEATS: z.enum(['lively', 'frugal']),
});

export interface ServeOptions {
  connection: NativeConnection;
  /** The contestant's name. */
  taskQueue: string;
  observationBytes: number;
  modelUrl: string;
  /** Time that a call takes, in milliseconds. */
  modelMs: number;
  toolMs: number;
  /** Hand-written loops: with Reloop's settings of a worker, or with the SDK's defaults. */
  worker: 'ours' | 'usual';
  /** Heartbeats of Reloop's worker. */
  heartbeats: 'lively' | 'frugal';
}

/** Runs a contestant's worker for as long as the bench is there. */
export async function serve(createWorker: (options: ServeOptions) => Promise<Worker>): Promise<void> {
  const settings = settingsSchema.parse(process.env);
  Runtime.install({ logger: silent, shutdownSignals: [] });
  const connection = await NativeConnection.connect({ address: settings.BENCH_ADDRESS });
  const worker = await createWorker({
    connection,
    taskQueue: settings.BENCH_QUEUE,
    observationBytes: settings.BENCH_OBSERVATION,
    modelUrl: settings.OPENAI_BASE_URL,
    modelMs: settings.BENCH_MODEL_MS,
    toolMs: settings.BENCH_TOOL_MS,
    worker: settings.BENCH_WORKER,
    heartbeats: settings.BENCH_HEARTBEATS,
  });
  process.on('disconnect', () => worker.shutdown());
  const running = worker.run();
  process.send?.({});
  await running;
  await connection.close();
}

/** A peer that dies fills the log otherwise. */
export const silent = {
  log() {},
  trace() {},
  debug() {},
  info() {},
  warn() {},
  error() {},
};
