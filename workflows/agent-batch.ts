import {
  CancellationScope,
  CancelledFailure,
  ParentClosePolicy,
  WorkflowIdReusePolicy,
  condition,
  getExternalWorkflowHandle,
  isCancellation,
  setCurrentDetails,
  startChild,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import { areTags } from '../agent/definition/run-tags.ts';
import { type WaitingCall, needsPerson } from '../agent/rules/waiting.ts';
import { runSignals } from '../agent/run/run-signals.ts';
import { applyWaitsChange } from '../agent/run/waits-change.ts';
import { type BatchStart, readBatchStart } from '../agent/start/batch-start.ts';
import { misstart } from '../agent/start/misstart.ts';
import type { FreshStart } from '../agent/start/run-start.ts';
import type { agentRun } from './agent-run.ts';
import {
  AGENT_RUN,
  type BatchCounts,
  type AgentBatchInput,
  childWaitingSignal,
  ownershipIn,
  runLabels,
} from './messages.ts';
import { invalidInput, orFailure } from './checked-input.ts';
import { childResult } from './temporal/child-result.ts';
import { continueExecution, shouldContinueAsNew } from './temporal/code-version.ts';
import { onSignal } from './temporal/on-signal.ts';
import { isAlreadyStarted } from './temporal/run-failure.ts';
import { childAttributes } from './web-ui/run-attributes.ts';

/**
 * The registered workflow of a batch: a run for each question, a few at a time. Run n is called ID-n, and has the batch's id as a tag. The
 * batch completes when each run has ended or waits for a person; a run that waits stays open. A failed run does not fail the batch.
 */
export async function agentBatch(...sent: [AgentBatchInput]): Promise<BatchCounts> {
  const { memo } = workflowInfo();
  const { start, asked, counts: before, open: earlier } = readInput(sent);
  const { starts, concurrency } = orFailure(() => readBatchStart(start));
  if (memo?.['agent'] === undefined) upsertMemo({ agent: starts[0].agent });
  const counts: BatchCounts = { done: 0, failed: 0, waiting: 0, existed: 0, ...before };
  const batch: Batch = { counts, waits: handleWaits(), open: new Set(earlier) };
  let next = 0;
  const work = async () => {
    while (!shouldContinueAsNew()) {
      const run = starts[next];
      if (run === undefined) return;
      next++;
      await runUntilHalted(run, asked + next, batch);
      showProgress(counts, starts.length - next);
    }
  };
  const workers = Array.from({ length: Math.min(concurrency, starts.length) }, work);
  try {
    await Promise.all(workers);
    if (next === starts.length) return counts;
    const { consideredCancelled, cancelRequested } = CancellationScope.current();
    if (consideredCancelled) await cancelRequested; // the next run would not know of the cancellation
  } catch (failure) {
    if (isCancellation(failure)) await CancellationScope.nonCancellable(() => cancelOpenRuns(workers, batch));
    throw failure;
  }
  return continueExecution<typeof agentBatch>({
    ...start,
    inputs: start.inputs.slice(next),
    asked: asked + next,
    counts,
    open: [...batch.open],
  });
}

/**
 * Cancels those of the batch's runs that are still open. Resolves when each has the request: the server drops requests of a workflow that has
 * closed, and runs that waited before the batch continued as new are no children of this execution.
 */
async function cancelOpenRuns(workers: readonly Promise<void>[], { open }: Batch): Promise<void> {
  const { workflowId } = workflowInfo();
  await Promise.allSettled(workers);
  await Promise.allSettled([...open].map((n) => getExternalWorkflowHandle(runId(workflowId, n)).cancel()));
}

function runId(batch: string, n: number | string): string {
  return `${batch}-${n}`;
}

/** Separates the start from what only continue-as-new brings; the next run of a cron brings the input of the first one. */
function readInput([input, ...more]: readonly AgentBatchInput[]) {
  if (more.length > 0)
    throw invalidInput(misstart('agentBatch', `there are ${more.length + 1} arguments, not one.`));
  const { continuedFromExecutionRunId } = workflowInfo();
  if (continuedFromExecutionRunId === undefined || input?.counts === undefined)
    return { start: input as BatchStart, asked: 0, counts: undefined, open: [] }; // readBatchStart looks at it
  const { asked = 0, counts, open = [], ...start } = input;
  return { start, asked, counts, open };
}

interface Batch {
  counts: BatchCounts;
  waits: Waits;
  /** Numbers of the runs that have been started, and had not ended when this batch last heard of them. */
  open: Set<number>;
}

/** Calls that wait, by the number of the run. */
type Waits = Map<string, WaitingCall[]>;

/** Starts a run. Resolves when the run has ended, or waits for a person. Throws CancelledFailure when the batch is cancelled, after the run's end. */
async function runUntilHalted(start: FreshStart, n: number, { counts, waits, open }: Batch): Promise<void> {
  const row = String(n);
  let counted: keyof BatchCounts | undefined;
  const count = (as: keyof BatchCounts) => {
    if (counted !== undefined) counts[counted]--;
    counts[as]++;
    counted = as;
    if (as !== 'waiting') open.delete(n);
  };
  open.add(n);
  void resultOf(start, row).then(
    () => count('done'),
    (failure: unknown) => count(isAlreadyStarted(failure) ? 'existed' : 'failed'),
  );
  const halts = () => counted !== undefined || (waits.get(row)?.some(needsPerson) ?? false);
  // A cancelled batch waits for the ends of its runs.
  await CancellationScope.nonCancellable(() => condition(halts));
  if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('The batch was cancelled');
  if (counted === undefined) count('waiting');
}

function resultOf({ agent, question, overrides, by }: FreshStart, batchRow: string) {
  const { workflowId: batch } = workflowInfo();
  const tags = [...new Set([...(overrides?.tags ?? []), batch])];
  const tagged = areTags(tags) ? { ...overrides, tags } : { ...overrides };
  const workflowId = runId(batch, batchRow);
  return childResult(workflowId, () =>
    startChild<typeof agentRun>(AGENT_RUN, {
      workflowId,
      args: [{ agent, question, overrides: tagged, by, batchRow }],
      // A batch that is started again does not pay for its runs again.
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      // A run that waits for a person outlives the batch.
      parentClosePolicy: ParentClosePolicy.ABANDON,
      ...runLabels(agent, question.input, tagged, ownershipIn(workflowInfo().memo)),
      ...childAttributes({ agent, tags: tagged.tags }),
    }),
  );
}

function handleWaits(): Waits {
  const waits: Waits = new Map();
  onSignal(childWaitingSignal, runSignals.childWaiting, (change) => {
    waits.set(change.caller, applyWaitsChange(waits.get(change.caller) ?? [], change));
  });
  return waits;
}

function showProgress({ done, failed, waiting, existed }: BatchCounts, left: number): void {
  const earlier = existed === 0 ? '' : `${existed} there before, `;
  setCurrentDetails(
    `${done} done, ${failed} failed, ${waiting} wait for a person, ${earlier}${left} to start.`,
  );
}
