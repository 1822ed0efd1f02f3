import type { Counters } from '../agent/limits.ts';
import type { AgentManifest } from '../agent/manifest.ts';
import type { Control } from './control.ts';
import type { TranscriptWriter } from './transcript.ts';

/** Everything one running agent is made of, in the workflow. */
export interface AgentLoop {
  scope: number;
  root: string;
  manifest: AgentManifest;
  counters: Counters;
  transcript: TranscriptWriter;
  control: Control;
  /** Calls that wait for a person now, and since when there is one. */
  waits: number;
  waitingSinceMs: number;
}
