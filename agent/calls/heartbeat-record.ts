import type { Json, Usage } from '../values/vocabulary.ts';
import type { Intent } from './calls.ts';

/** The one heartbeat record of every activity; the fields an activity does not use are absent. */
export interface Heartbeat {
  /** Failed attempts, not counting worker deaths. */
  failures?: number | undefined;
  /** Message of the last such failure. */
  lastError?: string | undefined;
  /** The last attempt that did not vanish with its worker: it failed on its own, or its worker was shut down. */
  endedAt?: number | undefined;
  /** Attempts that were held back: by an outage of the model, or by its limits. */
  waits?: number | undefined;
  /** Start of the wait for the model's limits, in milliseconds since 1970. */
  waitsSince?: number | undefined;
  /** Attempts that met a worker without the tool. */
  missed?: number | undefined;
  /** Set for `effects: 'once'` only. */
  intent?: Intent | undefined;
  /** The last attempt of such a call that certainly had no effect. */
  notDone?: number | undefined;
  checkpoint?: Json | undefined;
  /** Token of the call, if its tool defers it. A secret: no event has it. */
  token?: string | undefined;
  /** Model calls made by attempts that failed. */
  usage?: Usage | undefined;
  /** Sent in all attempts, this one among them: each is billed on Temporal Cloud. */
  heartbeats?: number | undefined;
  progress?: string | undefined;
  /** Reports of progress in this attempt, of which `progress` is the last. */
  reports?: number | undefined;
  /** Number of the agent's model that is asked, after those before it failed in this attempt. Absent: the first. */
  model?: number | undefined;
  /** Reply text so far, and the end of the reasoning so far. */
  text?: string | undefined;
  reasoning?: string | undefined;
  /** Characters of the reasoning before `reasoning`. */
  reasoningFrom?: number | undefined;
  /** Number of times that this attempt has begun its text again, for another model. */
  restart?: number | undefined;
}

/** The record after a change, with the numbers by which readers put texts and reports in order. */
export function patchHeartbeat(record: Heartbeat, patch: Partial<Heartbeat>): Heartbeat {
  const beginsAgain =
    ('text' in patch && lengthOf(patch.text) < lengthOf(record.text)) ||
    ('reasoning' in patch && reasoningEnd(patch) < reasoningEnd(record));
  const reports = patch.progress !== undefined && patch.progress !== record.progress;
  return {
    ...record,
    ...patch,
    ...(beginsAgain && { restart: (record.restart ?? 0) + 1 }),
    ...(reports && { reports: (record.reports ?? 0) + 1 }),
  };
}

function lengthOf(text: string | undefined): number {
  return text?.length ?? 0;
}

function reasoningEnd({ reasoning, reasoningFrom = 0 }: Partial<Heartbeat>): number {
  return reasoningFrom + lengthOf(reasoning);
}
