import { fileURLToPath } from 'node:url';
import { Worker, bundleWorkflowCode } from '@temporalio/worker';
import { defaultConcurrency } from '../../config/options/concurrency-option.ts';
import { workerSettings } from '../../worker/create-worker.ts';
import type { HandwrittenActivities } from './handwritten-workflows.ts';
import { type ServeOptions, silent } from './serve.ts';

/** A worker of the hand-written loop, with as many calls at a time as one of Reloop. */
export async function handwrittenWorker(
  { connection, taskQueue, worker }: ServeOptions,
  activities: HandwrittenActivities,
): Promise<Worker> {
  const workflowsPath = fileURLToPath(new URL('./handwritten-workflows.ts', import.meta.url));
  return Worker.create({
    ...(worker === 'ours' ? workerSettings : {}),
    maxConcurrentActivityTaskExecutions: defaultConcurrency(),
    connection,
    taskQueue,
    workflowBundle: await bundleWorkflowCode({ workflowsPath, logger: silent }),
    activities,
  });
}
