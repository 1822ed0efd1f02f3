import type { CancellationScope } from '@temporalio/workflow';
import { type CallModelInput, activityId, compactionBefore } from '../../agent/calls/calls.ts';
import type { Counters } from '../../agent/limits/counters.ts';
import type { AgentManifest, JsonSchema } from '../../agent/definition/manifest.ts';
import type { DoneCall } from '../../agent/calls/restart.ts';
import type { ReachedLimit } from '../../agent/limits/run-limits.ts';
import type { RunAgents } from '../../agent/calls/run-agents.ts';
import { type Call, modelCall } from '../../agent/run/call-state.ts';
import type { Control } from '../operator/control.ts';
import type { BackgroundCalls } from './background-calls.ts';
import type { Deadline } from './deadline.ts';
import type { Emit } from '../operator/emit.ts';
import type { Inbox } from '../operator/inbox.ts';
import type { OpenCall } from '../operator/open-call.ts';
import type { Pause } from '../operator/pause.ts';
import type { TakenWords } from '../operator/taken-words.ts';
import type { RunTrace } from './run-trace.ts';
import type { TranscriptWriter } from './transcript.ts';
import type { RecordedSource } from '../../agent/run/run-input.ts';

/** State of one running agent in the workflow. */
export interface AgentLoop {
  readonly scope: number;
  readonly root: string;
  /** The agent that has the conversation. */
  readonly manifest: AgentManifest;
  readonly agents: RunAgents;
  readonly counters: Counters;
  transcript: TranscriptWriter;
  readonly deadline: Deadline;
  readonly control: Control;
  readonly pause: Pause;
  readonly taken: TakenWords;
  readonly inbox: Inbox;
  readonly background: BackgroundCalls;
  /** The model calls of the next step, by id, after their waits: for a summary, and at a limit. */
  readonly nextModelCalls: Map<string, Call>;
  /** The limit at which the run waits. Setting undefined ends the wait. */
  limitReached: ReachedLimit | undefined;
  /** Recorded run that answers the agent's calls, in a backtest. */
  readonly recorded: OpenRecording | undefined;
  /** Emits an event to the worker's `onEvent`. */
  readonly emit: Emit | undefined;
  /** The run's place in its trace. undefined: the run has no telemetry. */
  readonly trace: RunTrace | undefined;
  /** Cancellation scope of the steps. Cancelled with the run, and when the run rewinds itself. */
  stepsScope: CancellationScope;
  /** Effects of dropped steps. */
  done: readonly DoneCall[];
  /** Number of the first schedule, and of the first wait, of each call. */
  firstN: number;
  /** The last step whose model call was scheduled. */
  lastStep: number;
  /** Bytes for the checkpoint of each call of the turn under way. */
  checkpointBytes: number;
  /** The run rewinds itself to before this step when no call is under way. */
  rewindTo: number | undefined;
}

/** The next model call, without its agent: `3`, and `3-compaction` before it. */
export function nextCallOf({ counters }: AgentLoop, { compact }: Pick<CallModelInput, 'compact'>): string {
  const step = String(counters.iterations + 1);
  return compact === true ? compactionBefore(step) : step;
}

export interface OpenModelCall extends Pick<CallModelInput, 'compact'> {
  /** Schema of the reply, if a person gives it. */
  outputSchema?: JsonSchema | undefined;
}

/** Opens the next model call for the operator's gate, and calls `use` with it. Closes the call when `use` has settled. */
export async function withModelCall<T>(
  loop: AgentLoop,
  { outputSchema, compact }: OpenModelCall,
  use: (open: OpenCall) => Promise<T>,
): Promise<T> {
  const { agents, control, deadline, emit, firstN, nextModelCalls, scope } = loop;
  // The step as people type it: `3`, and `1/3` in the second runAgent of one workflow.
  const id = activityId(scope, nextCallOf(loop, { compact }), 0);
  const call = nextModelCalls.get(id) ?? modelCall(id, firstN);
  const open = control.open(call, {
    outputSchema,
    clock: deadline,
    emit,
    isBeside: () => agents.haveBackground(),
  });
  try {
    return await use(open);
  } finally {
    nextModelCalls.set(id, open.now);
    control.close(open);
  }
}

/** A recorded run that answers calls, with the number of answers for each. */
export type OpenRecording = RecordedSource & { taken: { [call: string]: number } };
