/** The place of a text in time: later attempts have later places. */
export interface TextPlace {
  /** Time at which the call was scheduled, in milliseconds since 1970 by the server's clock. */
  scheduledAt: number;
  attempt: number;
  /** Number of times that the attempt has started its text again, as it does for another model. */
  restart: number;
}

/** A part of what an attempt writes. */
export interface LivePiece extends TextPlace {
  runId: string;
  call: string;
  kind: 'text' | 'reasoning' | 'progress';
  /** Characters before the delta. Of progress: the number of the report, from 1. */
  offset: number;
  /** The characters that follow. Of progress: the whole report. */
  delta: string;
}
