import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isUsers } from '../../config/load/error-place.ts';
import { whileLoading } from '../../config/load/load.ts';
import { checkAgents, loadCommandConfig } from '../connection/command-config.ts';
import { type CliContext, openEmbedded } from '../connection/context.ts';
import { namedQueue, queuesOf } from '../connection/task-queue.ts';
import { prepareWorker } from '../../worker/run-worker.ts';
import { countWaiting } from '../connection/find-runs.ts';
import { loadEnvFile } from '../shell/env-file.ts';
import { type Io, failureOf } from '../shell/io.ts';
import { errorLines } from '../print/error-lines.ts';
import type { ChildOptions, FromChild, ToChild } from './child-messages.ts';
import { summaryOf } from './summary.ts';

/**
 * The worker of `reloop dev`: a separate process, `worker-process OPTIONS-AS-JSON`, so that another one with newer code
 * can take its place while its calls continue. It ends when the command does, however that ends.
 */
async function work(options: ChildOptions): Promise<void> {
  // The command handles signals, and ends this process; without the command this process ends at once.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);
  process.on('disconnect', () => process.exit(0));
  if (!process.connected) process.exit(0);
  const commands = new EventEmitter();
  const end = once(commands, 'end');
  const mayWork = once(commands, 'work');
  process.on('message', ({ type }: ToChild) => commands.emit(type));

  let isPolling = false;
  commands.once('end', () => {
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

    context = await openEmbedded(io, { ...options, loaded: config.loaded });
    const { serves } = await queuesOf(context, config, namedQueue(io, options));
    checkAgents(io, config.loaded);
    const worker = await context.startWorker(config, 'dev', serves);
    isPolling = true;
    const polled = [...serves, ...config.loaded.queues.keys()];
    tell({ type: 'ready', serves: polled, waiting: await countWaiting(context) });
    commands.once('drain', () => {
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

/** tsx reports imports asynchronously; wait for them, because the failing file must be watched, too. */
const LAST_IMPORTS_MS = 100;

function tell(message: FromChild, sent: () => void = () => undefined): void {
  // If the parent is gone, this process is about to end.
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
