import { proxyActivities } from '@temporalio/workflow';
import { NOT_RECORDED } from '../../agent/backtest/compare-runs.ts';
import { mayRunLive } from '../../agent/definition/recorded-agent.ts';
import { callKey } from '../../agent/backtest/recording.ts';
import type { RecordedCallInput } from '../../agent/backtest/backtest-calls.ts';
import type { ToolResult } from '../../agent/calls/calls.ts';
import type { ToolManifest } from '../../agent/definition/manifest.ts';
import { EMPTY_DIGEST, extendDigest } from '../../agent/values/digest.ts';
import type { ErrorInfo, Json } from '../../agent/values/vocabulary.ts';
import type { WaitingReason } from '../../agent/rules/wait-reasons.ts';
import { recordingOptions, summaryOf } from '../temporal/activity-options.ts';
import type { AgentLoop, OpenRecording } from './agent-loop.ts';
import { runFailure } from '../temporal/run-failure.ts';

interface RecordedActivity {
  recordedCall(input: RecordedCallInput): Promise<ToolResult>;
}

/** Answers a call from the recording, instead of running its tool. Throws a failure of type `NotRecorded`. */
export async function recordedCall(
  { workflowId, runId, taken }: OpenRecording,
  tool: string,
  toolInput: Json,
  id: string,
): Promise<ToolResult> {
  const key = extendDigest(EMPTY_DIGEST, callKey({ tool, toolInput }));
  // Counted before the answer: one turn may make the same call twice.
  const nth = taken[key] ?? 0;
  taken[key] = nth + 1;
  const activities = proxyActivities<RecordedActivity>({
    activityId: id,
    summary: `${tool} ${summaryOf(toolInput)}`,
    ...recordingOptions(),
  });
  const result = await activities.recordedCall({ workflowId, runId, tool, toolInput, nth });
  if (result.only === true) delete taken[key]; // the recording has one such call, which answers every time
  return result;
}

/** Repeats people's messages to the recorded run, before the model call that carried them. */
export function replayMessages({ recorded, inbox, counters }: AgentLoop): void {
  for (const { step, text } of recorded?.said ?? []) if (step === counters.iterations + 1) inbox.add(text);
}

/** Returns true if the recording does not have the call, and the backtest's options allow the tool to run. */
export function mayFallBackToLive({ recorded }: AgentLoop, tool: ToolManifest, { type }: ErrorInfo): boolean {
  return type === NOT_RECORDED && mayRunLive(tool, recorded?.live);
}

/** Failure of a backtest's run at a call that would wait for a person. A backtest asks no person. */
export function backtestCannotAsk(
  tool: string,
  { reason, error }: { reason: WaitingReason; error?: ErrorInfo | undefined },
): Error {
  const why = error === undefined ? '' : `: ${error.message}`;
  const message = `${tool} would wait for a person (${reason}), whom a backtest does not ask${why}`;
  return runFailure({ type: error?.type ?? NOT_RECORDED, message });
}
