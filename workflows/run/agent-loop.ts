import type { CancellationScope } from '@temporalio/workflow';
import { activityId } from '../../agent/calls/calls.ts';
import type { Counters } from '../../agent/limits/counters.ts';
import type { AgentManifest, JsonSchema } from '../../agent/definition/manifest.ts';
import type { DoneCall } from '../../agent/calls/restart.ts';
import type { ReachedLimit } from '../../agent/limits/run-limits.ts';
import { type Call, modelCall } from '../../agent/run/call-state.ts';
import type { Control } from '../operator/control.ts';
import type { Deadline } from './deadline.ts';
import type { Emit } from '../operator/emit.ts';
import type { Inbox } from '../operator/inbox.ts';
import type { OpenCall } from '../operator/open-call.ts';
import type { Pause } from '../operator/pause.ts';
import type { RecordedSource } from '../messages.ts';
import type { TranscriptWriter } from './transcript.ts';

/** What one running agent is made of, in the workflow. */
export interface AgentLoop {
  readonly scope: number;
  readonly root: string;
  readonly manifest: AgentManifest;
  readonly counters: Counters;
  transcript: TranscriptWriter;
  readonly deadline: Deadline;
  readonly control: Control;
  readonly pause: Pause;
  readonly inbox: Inbox;
  /** The model call of the next step, after its waits at a limit. */
  nextModelCall: Call | undefined;
  /** The run waits at this limit. Undefined ends the wait. */
  limitReached: ReachedLimit | undefined;
  /** The recorded run that answers its calls, in a backtest. */
  readonly recorded: OpenRecording | undefined;
  /** Tells the worker's `onEvent`. */
  readonly emit: Emit | undefined;
  /** The scope of the steps: cancelled with the run, and when it rewinds itself. */
  scopeAround: CancellationScope;
  /** Effects of steps that were dropped. */
  done: readonly DoneCall[];
  /** Number of the first schedule, and of the first wait, of each call. */
  firstN: number;
  /** The last step whose model call was scheduled. */
  lastStep: number;
  /** The run rewinds itself to before this step, as soon as nothing is under way any more. */
  rewindTo: number | undefined;
}

/** The model call that comes next, as people type it: `3`, in a later runAgent of one workflow `1/3`. */
function callId({ scope, counters }: AgentLoop): string {
  return activityId(scope, String(counters.iterations + 1), 0);
}

/** Runs `use` with the next model call, which the operator's gate knows meanwhile. */
export async function withModelCall<T>(
  loop: AgentLoop,
  outputSchema: JsonSchema | undefined,
  use: (open: OpenCall) => Promise<T>,
): Promise<T> {
  const { control, deadline, emit, firstN, nextModelCall } = loop;
  const id = callId(loop);
  const call = nextModelCall?.id === id ? nextModelCall : modelCall(id, firstN);
  const open = control.open(call, { outputSchema, clock: deadline, emit });
  try {
    return await use(open);
  } finally {
    loop.nextModelCall = open.now;
    control.close(open);
  }
}

/** A recorded run that answers calls, and how often each was answered. */
export type OpenRecording = RecordedSource & { taken: { [call: string]: number } };
