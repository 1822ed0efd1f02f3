import { type Workflow, continueAsNew, makeContinueAsNewFunc, workflowInfo } from '@temporalio/workflow';

/** Set by `versionedBundle` in the code of a worker that has a version. `moves`: its config has `upgradeOnContinueAsNew`. */
declare const reloopVersioned: 'stays' | 'moves' | undefined;

export const isVersioned = typeof reloopVersioned !== 'undefined';
const moves = isVersioned && reloopVersioned === 'moves';

/**
 * Returns true when the execution should continue as new: its history is long, or another version is the current one, and runs move there.
 * Servers before 1.31 never say the latter.
 */
export function shouldContinueAsNew(): boolean {
  const { continueAsNewSuggested, targetWorkerDeploymentVersionChanged } = workflowInfo();
  return continueAsNewSuggested || (moves && targetWorkerDeploymentVersionChanged);
}

/** Continues as new: on the current version where runs move to it, otherwise on the one that the execution started with. */
export function continueExecution<F extends Workflow>(...args: Parameters<F>): Promise<never> {
  if (!moves) return continueAsNew<F>(...args);
  return makeContinueAsNewFunc<F>({ initialVersioningBehavior: 'AUTO_UPGRADE' })(...args);
}
