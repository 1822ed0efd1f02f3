import { fileURLToPath } from 'node:url';
import { Worker, bundleWorkflowCode } from '@temporalio/worker';
import { workerSettings } from '../../worker/create-worker.ts';
import type { HandwrittenActivities } from './handwritten-workflows.ts';
import { type ServeOptions, silent } from './serve.ts';

/** A worker of the hand-written loop, with the settings of Reloop's own. */
export async function handwrittenWorker(
  { connection, taskQueue }: ServeOptions,
  activities: HandwrittenActivities,
): Promise<Worker> {
  const workflowsPath = fileURLToPath(new URL('./handwritten-workflows.ts', import.meta.url));
  return Worker.create({
    ...workerSettings,
    connection,
    taskQueue,
    workflowBundle: await bundleWorkflowCode({ workflowsPath, logger: silent }),
    activities,
  });
}
