import { ApplicationFailure } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { LRUCache } from 'lru-cache';
import type {
  CompareInput,
  RecordedCallInput,
  RecordedQuestion,
} from '../../agent/backtest/backtest-calls.ts';
import { type BacktestedRun, backtestedRun } from '../../agent/backtest/backtest-report.ts';
import { NOT_RECORDED } from '../../agent/backtest/compare-runs.ts';
import { type Recording, findRecorded } from '../../agent/backtest/recording.ts';
import type { ToolResult } from '../../agent/calls/calls.ts';
import { isNotFound } from '../../history/read/pages.ts';
import { readOutline, readQuestion, readRecording } from '../../history/views/read-recording.ts';
import { type AttemptPolicy, attemptScheduledAt, effortOf, runAttempt } from '../attempt/attempt.ts';
import { classifyError } from '../attempt/errors.ts';
import type { Observations } from '../run/observations.ts';
import type { RecordedRunRef } from '../../agent/run/run-input.ts';

/** Bytes of recorded observations in a worker process. Each call of a backtest looks into the recorded run. */
const CACHE_BYTES = 32_000_000;

/** The activities of a backtest. They only read histories, without effects. */
export function createBacktestActivities(observations: Observations) {
  const recordings = new LRUCache<string, Recording, { client: Client; run: RecordedRunRef }>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ bytes }) => 1 + bytes,
    fetchMethod: (_runId, _stale, { context: { client, run } }) =>
      failWithoutRetry(run, () => readRecording(client, run)),
    // A run that is read is handed out also if the cache has no room for it.
    ignoreFetchAbort: true,
  });
  const recordingOf = (client: Client, run: RecordedRunRef): Promise<Recording> =>
    recordings.forceFetch(run.runId, { context: { client, run } });

  return {
    /** A tool call, answered with the recorded run's observation. */
    recordedCall: (input: RecordedCallInput): Promise<ToolResult> =>
      runAttempt(policy, async (attempt) => {
        const { client, info } = attempt.context;
        const found = findRecorded(await recordingOf(client, input), input, input.nth);
        if (found === undefined) throw notRecorded(input);
        const { observation: output, fromTool, only } = found;
        const result: ToolResult = {
          output,
          kind: fromTool ? undefined : 'invalid',
          only: only || undefined,
          ...effortOf(attempt),
          attemptScheduledAt: attemptScheduledAt(info),
        };
        observations.remember(info, result);
        return result;
      }),

    recordedQuestion: (run: RecordedRunRef): Promise<RecordedQuestion> =>
      runAttempt(policy, ({ context: { client } }) => failWithoutRetry(run, () => readQuestion(client, run))),

    compareRun: ({ before, after, input }: CompareInput): Promise<BacktestedRun> =>
      runAttempt(policy, async ({ context: { client } }) => {
        const { outline, schemas } = await recordingOf(client, before);
        const { workflowId } = after;
        const { runId } = await client.workflow.getHandle(workflowId).describe();
        const again = await readOutline(client, { workflowId, runId });
        const place = { id: before.workflowId, runId: before.runId, again: workflowId, input };
        return backtestedRun(place, outline, again, schemas);
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

/** Fails without a retry if the run is past its retention, or is not a run of an agent. */
async function failWithoutRetry<T>({ workflowId }: RecordedRunRef, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const isInvalid = error instanceof Error && error.name === 'InvalidInput';
    if (!isInvalid && !isNotFound(error)) throw error;
    const message = isInvalid
      ? error.message
      : `The recorded run "${workflowId}" is not there: it may be past the namespace's retention.`;
    throw ApplicationFailure.create({ type: 'RecordingGone', message, nonRetryable: true });
  }
}
