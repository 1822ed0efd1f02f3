import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isUsers } from '../../config/error-place.ts';
import { whileLoading } from '../../config/while-loading.ts';
import { prepareWorker } from '../../worker/run-worker.ts';
import { loadCommandConfig, queuesOf } from '../command-config.ts';
import { type CliContext, namedQueue, openEmbedded } from '../context.ts';
import { loadEnvFile } from '../env-file.ts';
import { countWaiting } from '../count-waiting.ts';
import { failureOf } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { errorLines } from '../print/error-lines.ts';
import { checkAgents } from '../serve.ts';
import type { ChildOptions, FromChild, ToChild } from './child-messages.ts';
import { summaryOf } from './summary.ts';

/**
 * The worker of `reloop dev`: a process of its own, `worker-process OPTIONS-AS-JSON`, so that another one with newer code
 * can take its place while its calls go on. It ends when the command does, however that ends.
 */
async function work(options: ChildOptions): Promise<void> {
  // Signals are the command's business, which says what becomes of this process. Nobody else does, once it is gone.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);
  process.on('disconnect', () => process.exit(0));
  if (!process.connected) process.exit(0);
  const told = new EventEmitter();
  const end = once(told, 'end');
  const mayWork = once(told, 'work');
  process.on('message', ({ type }: ToChild) => told.emit(type));

  let isPolling = false;
  told.once('end', () => {
    if (!isPolling) process.exit(0); // no call is lost
  });

  const io = ioOf();
  let context: CliContext | undefined;
  try {
    whileLoading(({ what, over }) => tell({ type: 'busy', with: what, over }));
    prepareWorker();
    loadEnvFile(io.env, options.config);
    const config = await loadCommandConfig(options.config, tellInBatches);
    tell({ type: 'loaded', summary: summaryOf(config.loaded) });
    await mayWork;

    context = await openEmbedded(io, options);
    const { serves } = await queuesOf(context, config, namedQueue(io, options));
    checkAgents(io, config.loaded);
    const worker = await context.startWorker(config, 'dev', serves);
    isPolling = true;
    tell({ type: 'ready', serves, waiting: await countWaiting(context) });
    told.once('drain', () => {
      tell({ type: 'draining', calls: worker.callsUnderWay() });
      worker.drain();
    });
    await Promise.race([end, worker.ended]);
    await context.close();
    process.exit(0);
  } catch (error) {
    await sleep(LAST_IMPORTS_MS);
    const failed = { code: failureOf(error).code, lines: errorLines(error, options) };
    tell({ type: 'failed', ...failed }, () => process.exit(failed.code));
  }
}

const BATCH_MS = 20;
let batch: string[] = [];

/** A config may import a thousand files. */
function tellInBatches(file: string): void {
  if (!isUsers(file)) return;
  if (batch.length === 0) {
    setTimeout(() => {
      tell({ type: 'imported', files: batch });
      batch = [];
    }, BATCH_MS);
  }
  batch.push(file);
}

/** What was imported is heard of a little later, and it may be what has to be mended. */
const LAST_IMPORTS_MS = 100;

function tell(message: FromChild, sent: () => void = () => undefined): void {
  // Where nobody listens any more, this process is about to end.
  if (process.connected) process.send?.(message, undefined, undefined, sent);
}

/** All that it says goes through the command, which draws on the terminal. */
function ioOf(): Io {
  const output = { write: (text: string) => tell({ type: 'said', text }) };
  return {
    stdin: process.stdin,
    stdout: output,
    stderr: output,
    env: process.env,
    onSignal: () => () => undefined,
  };
}

// Written by worker-child.ts of the same version.
await work(JSON.parse(process.argv[2] ?? '') as ChildOptions);
