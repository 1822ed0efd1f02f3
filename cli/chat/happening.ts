import type { RunEvent } from '../../agent/events.ts';

/** What a person does at the prompt. */
export type Typed =
  /** What was sent off with Enter, perhaps of several lines. */
  | { type: 'line'; text: string }
  /** Ctrl-C with nothing typed. */
  | { type: 'interrupt' }
  /** Ctrl-D, or the input is over. */
  | { type: 'end' };

/** All that a chat reacts to, in order. `turn` tells the run it is of: what comes late of an earlier one counts no more. */
export type Happening =
  | Typed
  | { type: 'terminated' }
  | { type: 'event'; turn: number; event: RunEvent }
  /** The run has ended: no more events. */
  | { type: 'over'; turn: number }
  /** The run cannot be followed any more: the worker died, or the server is gone. */
  | { type: 'broken'; turn: number; error: unknown }
  /** What was asked of the run (a decision, a message) has been recorded, or refused. */
  | { type: 'acted'; turn: number; words: string; wait: string | undefined }
  | { type: 'refused'; turn: number; error: unknown; wait: string | undefined };
