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

/** A call answered from the recording, in the place of the tool's own activity. Fails with `NotRecorded`. */
export async function recordedCall(
  { workflowId, runId, taken }: OpenRecording,
  tool: string,
  toolInput: Json,
  id: string,
): Promise<ToolResult> {
  const key = extendDigest(EMPTY_DIGEST, callKey({ tool, toolInput }));
  // Counted when it is made: the same call may be made twice in one turn.
  const nth = taken[key] ?? 0;
  taken[key] = nth + 1;
  const activities = proxyActivities<RecordedActivity>({
    activityId: id,
    summary: `${tool} ${summaryOf(toolInput)}`,
    ...recordingOptions(),
  });
  const result = await activities.recordedCall({ workflowId, runId, tool, toolInput, nth });
  if (result.only === true) delete taken[key]; // which it is makes no difference
  return result;
}

/** What people said to the recorded run is said again, in time for the next model call: as then, before it is decided whether there is one. */
export function sayAgain({ recorded, inbox, counters }: AgentLoop): void {
  for (const { step, text } of recorded?.said ?? []) if (step === counters.iterations + 1) inbox.add(text);
}

/** The recording does not have the call, and its tool may be run for that. */
export function runsLive({ recorded }: AgentLoop, tool: ToolManifest, { type }: ErrorInfo): boolean {
  return type === NOT_RECORDED && mayRunLive(tool, recorded?.live);
}

/** Nobody is asked anything in a backtest: what would wait for a person fails the run. */
export function unasked(
  tool: string,
  { reason, error }: { reason: WaitingReason; error?: ErrorInfo | undefined },
): Error {
  const why = error === undefined ? '' : `: ${error.message}`;
  const message = `${tool} would wait for a person (${reason}), whom a backtest does not ask${why}`;
  return runFailure({ type: error?.type ?? NOT_RECORDED, message });
}
