import {
  CancellationScope,
  ParentClosePolicy,
  executeChild,
  proxyActivities,
  setCurrentDetails,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import type { CompareInput, RecordedQuestion } from '../agent/backtest/backtest-calls.ts';
import { type BacktestedRun, type VerdictCounts, noVerdicts } from '../agent/backtest/backtest-report.ts';
import { readBacktestStart } from '../agent/backtest/backtest-start.ts';
import { contentText } from '../agent/values/content.ts';
import type { Verdict } from '../agent/backtest/compare-runs.ts';
import type { RunResult } from '../agent/run/run-result.ts';
import { recordingOptions } from './temporal/activity-options.ts';
import { continueExecution, shouldContinueAsNew } from './temporal/code-version.ts';
import { BACKTEST_RUN, type BacktestInput, runLabels } from './messages.ts';
import { orFailure } from './checked-input.ts';
import type { RecordedRunRef, AgentRunInput } from '../agent/run/run-input.ts';

/** The registered workflow of a backtest: asks the questions of recorded runs again, each in a separate run, a few at a time. */
export async function backtest(...sent: [BacktestInput]): Promise<VerdictCounts> {
  const { workflowId, continuedFromExecutionRunId, memo } = workflowInfo();
  const isContinued = continuedFromExecutionRunId !== undefined && sent[0]?.counts !== undefined;
  const input: BacktestInput = isContinued ? sent[0] : orFailure(() => readBacktestStart(sent, workflowId));
  if (memo?.['agent'] === undefined) upsertMemo({ agent: input.agent });
  const counts = { ...noVerdicts, ...input.counts };
  const left = [...input.runs];
  const work = async () => {
    while (!shouldContinueAsNew()) {
      const run = left.shift();
      if (run === undefined) return;
      counts[await askAgain(input, run)]++;
      showProgress(counts, left.length);
    }
  };
  await Promise.all(Array.from({ length: Math.min(input.concurrency, left.length) }, work));
  if (left.length === 0) return counts;
  const { consideredCancelled, cancelRequested } = CancellationScope.current();
  if (consideredCancelled) await cancelRequested; // the next run would not know of the cancellation
  return continueExecution<typeof backtest>({ ...input, runs: left, counts });
}

/** Asks one recorded run's question again, and compares the runs. A failure counts as the verdict `failed`. */
async function askAgain(input: BacktestInput, run: RecordedRunRef): Promise<Verdict> {
  try {
    const recorded = await activities(`question ${run.workflowId}`, run).recordedQuestion(run);
    const workflowId = `${workflowInfo().workflowId}/${run.workflowId}`;
    await runAgain(input, run, recorded, workflowId);
    const compare = { before: run, after: { workflowId }, input: contentText(recorded.question.input) };
    return (await activities(`compare ${run.workflowId}`, run).compareRun(compare)).verdict;
  } catch (failure) {
    if (CancellationScope.current().consideredCancelled) throw failure;
    return 'failed';
  }
}

/** Runs the question again. A failure of the run is ignored here: the comparison reads it from the history. */
async function runAgain(
  { agent, overrides, live }: BacktestInput,
  run: RecordedRunRef,
  { question, context, said }: RecordedQuestion,
  workflowId: string,
): Promise<void> {
  try {
    await executeChild<(input: AgentRunInput) => Promise<RunResult>>(BACKTEST_RUN, {
      workflowId,
      args: [
        {
          agent,
          question,
          overrides: context ? { ...overrides, context } : overrides,
          recorded: { ...run, live, said },
        },
      ],
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      ...runLabels(agent, question.input),
    });
  } catch (failure) {
    if (CancellationScope.current().consideredCancelled) throw failure;
  }
}

interface BacktestActivities {
  recordedQuestion(run: RecordedRunRef): Promise<RecordedQuestion>;
  compareRun(input: CompareInput): Promise<BacktestedRun>;
}

function activities(activityId: string, { workflowId }: RecordedRunRef): BacktestActivities {
  return proxyActivities<BacktestActivities>({
    activityId,
    summary: workflowId,
    ...recordingOptions(),
  });
}

function showProgress({ same, ...others }: VerdictCounts, left: number): void {
  const changed = Object.values(others).reduce((sum, count) => sum + count, 0);
  setCurrentDetails(`${same} the same, ${changed} not, ${left} to start.`);
}
