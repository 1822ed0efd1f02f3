import type { Client } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time.js';

const WORKFLOW_QUEUE = 1;

/** A long poll lasts a minute; the server remembers pollers for five, also those that have died. */
const FRESH_MS = 75_000;

/** Identities of the workers that have asked a task queue for work lately. */
export async function pollers(client: Client, taskQueue: string): Promise<string[]> {
  const description = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: WORKFLOW_QUEUE,
  });
  return (description.pollers ?? []).flatMap(({ identity, lastAccessTime }) =>
    lastAccessTime && Date.now() - tsToMs(lastAccessTime) < FRESH_MS ? [identity ?? ''] : [],
  );
}
