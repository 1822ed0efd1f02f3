import { ApplicationFailure } from '@temporalio/activity';
import type {
  CompareInput,
  RecordedCallInput,
  RecordedQuestion,
  RecordedRunRef,
} from '../../agent/backtest/backtest-calls.ts';
import { type BacktestedRun, backtestedRun } from '../../agent/backtest/backtest-report.ts';
import { NOT_RECORDED } from '../../agent/backtest/compare-runs.ts';
import { findRecorded } from '../../agent/backtest/recording.ts';
import type { ToolResult } from '../../agent/calls/calls.ts';
import { readOutline, readQuestion } from '../../history/views/read-recording.ts';
import { type AttemptPolicy, effortOf, runAttempt } from '../attempt/attempt.ts';
import { classifyError } from '../attempt/errors.ts';
import type { Observations } from '../run/observations.ts';
import { createRecordings, failWithoutRetry } from '../run/recordings.ts';

/** The activities of a backtest. They only read histories, without effects. */
export function createBacktestActivities(observations: Observations) {
  const recordings = createRecordings();
  return {
    /** A tool call, answered with the recorded run's observation. */
    recordedCall: (input: RecordedCallInput): Promise<ToolResult> =>
      runAttempt(policy, async (attempt) => {
        const { client, info } = attempt.context;
        const found = findRecorded(await recordings.of(client, input), input, input.nth);
        if (found === undefined) throw notRecorded(input);
        const { observation: output, fromTool, only } = found;
        observations.remember(info, output);
        return {
          output,
          kind: fromTool ? undefined : 'invalid',
          only: only || undefined,
          ...effortOf(attempt),
        };
      }),

    recordedQuestion: (run: RecordedRunRef): Promise<RecordedQuestion> =>
      runAttempt(policy, ({ context: { client } }) => failWithoutRetry(run, () => readQuestion(client, run))),

    compareRun: ({ before, after, input }: CompareInput): Promise<BacktestedRun> =>
      runAttempt(policy, async ({ context: { client } }) => {
        const { outline } = await recordings.of(client, before);
        const { workflowId } = after;
        const { runId } = await client.workflow.getHandle(workflowId).describe();
        const again = await readOutline(client, { workflowId, runId });
        const place = { id: before.workflowId, runId: before.runId, again: workflowId, input };
        return backtestedRun(place, outline, again);
      }),
  };
}

const policy = (): AttemptPolicy => ({
  retry: { maxAttempts: 5, initialMs: 500, backoff: 2, maximumMs: 10_000 },
  timeoutMs: 5 * 60_000,
  classify: classifyError,
});

function notRecorded({ tool, workflowId }: RecordedCallInput): ApplicationFailure {
  return ApplicationFailure.create({
    type: NOT_RECORDED,
    message: `Run "${workflowId}" made no call of ${tool} with this input, so the backtest has no result to continue with, and leaves the recording here.`,
    nonRetryable: true,
  });
}
