import type { CancellationScope } from '@temporalio/workflow';
import type { Counters } from '../agent/limits.ts';
import type { AgentManifest } from '../agent/manifest.ts';
import type { Control } from './control.ts';
import type { Notify } from './notify.ts';
import type { TranscriptWriter } from './transcript.ts';

/** Everything one running agent is made of, in the workflow. */
export interface AgentLoop {
  scope: number;
  root: string;
  manifest: AgentManifest;
  counters: Counters;
  transcript: TranscriptWriter;
  /** Tells the worker's `onEvent`. */
  notify: Notify | undefined;
  /** What the model wrote around its final answer. */
  answerLog: string;
  control: Control;
  /** The scope the loop runs in: cancelled with the run. */
  scopeAround: CancellationScope;
  /** The time limit has been reached: what is running is cut. */
  overdue: boolean;
  /** What ends with the time limit: the calls under way. */
  cutAtDeadline: Set<CancellationScope>;
  /** Calls that wait for a person now, and since when there is one. */
  waits: number;
  waitingSinceMs: number;
}
