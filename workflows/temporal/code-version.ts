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

/** Events and bytes of a history at which a run waits for its background calls, to continue as new: half of what Temporal takes. */
const FULL = { events: 25_000, bytes: 25_000_000 };

/** Returns true when the history is so long that the execution has to continue as new before it does more. */
export function mustContinueAsNew(): boolean {
  const { historyLength, historySize } = workflowInfo();
  return historyLength > FULL.events || historySize > FULL.bytes;
}

/** Continues as new: on the current version where runs move to it, otherwise on the one that the execution started with. */
export function continueExecution<F extends Workflow>(...args: Parameters<F>): Promise<never> {
  if (!moves) return continueAsNew<F>(...args);
  return makeContinueAsNewFunc<F>({ initialVersioningBehavior: 'AUTO_UPGRADE' })(...args);
}
