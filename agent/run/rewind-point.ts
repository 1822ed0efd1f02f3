import type { Origin } from '../calls/calls.ts';
import type { DoneCall } from '../calls/restart.ts';
import type { Counters } from '../limits/counters.ts';
import type { Entry } from '../transcript/entries.ts';

/** State of a run before one of its model calls. A restarted run begins with this state. */
export interface RestartPoint {
  /** The transcript before the model call. `entries`: the part that the model still sees, if small enough for the workflow's input. */
  from: Origin & { entries?: Entry[] };
  /** Entries that the model call adds to the transcript. */
  pending: Entry[];
  counters: Pick<Counters, 'iterations' | 'usage' | 'repeat' | 'size' | 'approved' | 'allowance'>;
  /** The agent that has the conversation at the step, in a run with handoffs. */
  agent?: string | undefined;
  /** Milliseconds of the run's time limit that were used. */
  elapsedMs: number;
}

/** Name of the activity with which a live run reads its rewind point. */
export const REWIND_POINT = 'rewindPoint';

/** Result of the activity: the state with which the run continues. */
export interface RewindPoint extends RestartPoint {
  /** Effects of all dropped steps, those of earlier rewinds included. */
  done: DoneCall[];
  /** Number of the first schedule of each call after the rewind. */
  firstN: number;
}
