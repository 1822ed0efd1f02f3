import { type Client, WithStartWorkflowOperation } from '@temporalio/client';

/** Longest wait for the workflow's answer. */
const ANSWER_MS = 10_000;
/** Time until another worker continues the workflow of a worker that died. Temporal's default is 10 s. */
const TASK_MS = 5_000;

/** A workflow that keeps count for the workers of a task queue. `args`: those of its start. */
export interface CountKeeper {
  workflowType: string;
  workflowId: string;
  taskQueue: string;
  args: unknown[];
}

type Keeper = (...args: unknown[]) => Promise<void>;

/** Sends an update, and returns the answer. The first worker that asks starts the workflow. */
export function askCountKeeper<Answer>(
  client: Client,
  { workflowType, workflowId, taskQueue, args }: CountKeeper,
  update: string,
  message: unknown,
): Promise<Answer> {
  const startWorkflowOperation = new WithStartWorkflowOperation<Keeper>(workflowType, {
    workflowId,
    taskQueue,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowTaskTimeout: TASK_MS,
    args,
  });
  return client.withDeadline(Date.now() + ANSWER_MS, () =>
    client.workflow.executeUpdateWithStart<Keeper, Answer, [unknown]>(update, {
      args: [message],
      startWorkflowOperation,
    }),
  );
}
