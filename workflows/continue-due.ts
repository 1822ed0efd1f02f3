import { CancellationScope, workflowInfo } from '@temporalio/workflow';

/** Whether a workflow should continue as new. One that is being cancelled ends instead: the next run would know nothing of it. */
export function isContinueDue(): boolean {
  return workflowInfo().continueAsNewSuggested && !CancellationScope.current().consideredCancelled;
}
