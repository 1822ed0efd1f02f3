import { CancellationScope, CancelledFailure, getExternalWorkflowHandle } from '@temporalio/workflow';

/**
 * Starts a child and resolves to its result. The SDK's cancellation names the child's first run id, and the server drops the request if
 * that run has continued as new. This cancellation names only the workflow id, so the current run receives the request.
 */
export async function childResult<T>(
  workflowId: string,
  start: () => Promise<{ result(): Promise<T> }>,
): Promise<T> {
  const { consideredCancelled, cancelRequested } = CancellationScope.current();
  if (consideredCancelled) throw new CancelledFailure('The call was cancelled');
  return CancellationScope.nonCancellable(async () => {
    const child = await start();
    const cancel = () => getExternalWorkflowHandle(workflowId).cancel();
    cancelRequested.catch(() => cancel().catch(() => undefined)); // the child may have ended
    return child.result();
  });
}
