import type { Origin } from '../calls/calls.ts';
import type { DoneCall } from '../calls/restart.ts';
import type { Counters } from '../limits/counters.ts';
import type { Entry } from '../transcript/entries.ts';

/** The state of a run before one of its model calls. A run that repeats steps begins there. */
export interface RestartPoint {
  /** The transcript before the model call. `entries`: the part that the model still sees, if it is small enough to be carried. */
  from: Origin & { entries?: Entry[] };
  /** Entries that the model call adds to the transcript. */
  pending: Entry[];
  counters: Pick<Counters, 'iterations' | 'usage' | 'repeat' | 'approved' | 'allowance'>;
  /** Milliseconds that had passed of the run's time limit. */
  elapsedMs: number;
}

/** Name of the activity that a live run rewinds itself with. */
export const REWIND_POINT = 'rewindPoint';

/** Result of the activity: the run begins again there. */
export interface RewindPoint extends RestartPoint {
  /** Effects of all steps that were dropped so far. */
  done: DoneCall[];
  /** Number of the first schedule of each call from now on. */
  firstN: number;
}
