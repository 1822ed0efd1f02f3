import type { CancellationScope } from '@temporalio/workflow';
import { activityId } from '../agent/calls.ts';
import type { Counters } from '../agent/counters.ts';
import type { AgentManifest } from '../agent/manifest.ts';
import type { DoneCall } from '../agent/restart.ts';
import type { LimitWait } from './limit-wait.ts';
import type { Control } from './control.ts';
import type { Deadline } from './deadline.ts';
import type { Emit } from './emit.ts';
import type { Inbox } from './inbox.ts';
import type { Pause } from './pause.ts';
import type { RecordedSource } from './messages.ts';
import type { TranscriptWriter } from './transcript.ts';

/** What one running agent is made of, in the workflow. */
export interface AgentLoop {
  readonly scope: number;
  readonly root: string;
  readonly manifest: AgentManifest;
  readonly counters: Counters;
  readonly transcript: TranscriptWriter;
  readonly deadline: Deadline;
  readonly control: Control;
  readonly pause: Pause;
  readonly inbox: Inbox;
  readonly limitWait: LimitWait;
  /** The recorded run that answers its calls, in a backtest. */
  readonly recorded: OpenRecording | undefined;
  /** Tells the worker's `onEvent`. */
  readonly emit: Emit | undefined;
  /** The scope the loop runs in: cancelled with the run. */
  readonly scopeAround: CancellationScope;
  /** Effects of steps that were dropped by a rewind. */
  readonly done: readonly DoneCall[];
  /** The run has taken the place of another one, whose sub-agents may still be ending. */
  readonly restarted: boolean;
}

/** The model call that comes next, as people type it: `3`, in a later runAgent of one workflow `1/3`. */
export function callId({ scope, counters }: AgentLoop): string {
  return activityId(scope, String(counters.iterations + 1), 0);
}

/** A recorded run that answers calls, and how often each was answered. */
export type OpenRecording = RecordedSource & { taken: { [call: string]: number } };

/** Runs that began before it keep to what they recorded: no timer for a wait, siblings of a failed call left alone. */
export function recordsWaits({ loopVersion }: AgentManifest): boolean {
  return loopVersion >= 3;
}

/** Runs that began before it told only workers what waits. */
export function hasWaitsInMemo({ loopVersion }: AgentManifest): boolean {
  return loopVersion >= 4;
}

/** The death of a worker is told to the model, where the call had no effects that a person would have to look into. */
export function tellsDeaths({ loopVersion }: AgentManifest): boolean {
  return loopVersion >= 4;
}
