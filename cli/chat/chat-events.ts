import type { RunEvent } from '../../agent/run/events.ts';

/** An act of the person at the prompt. */
export type PromptEvent =
  /** The person pressed Enter. The text may have several lines. */
  | { type: 'line'; text: string }
  /** Ctrl-C with nothing typed. */
  | { type: 'interrupt' }
  /** Ctrl-D, or the input is over. */
  | { type: 'end' };

/** Everything that a chat reacts to, in order. `turn`: the turn of the event; late events of an earlier turn are ignored. */
export type ChatEvent =
  | PromptEvent
  | { type: 'terminated' }
  | { type: 'event'; turn: number; event: RunEvent }
  /** The run has ended: no more events. */
  | { type: 'over'; turn: number }
  /** The run cannot be followed any more: the worker died, or the server is gone. */
  | { type: 'broken'; turn: number; error: unknown }
  /** A request to the run (a decision, a message) was recorded, or refused. */
  | { type: 'acted'; turn: number; words: string; wait: string | undefined }
  | { type: 'refused'; turn: number; error: unknown; wait: string | undefined };

/** A queue with one consumer. */
export interface AsyncQueue<T> {
  put(item: T): void;
  /** Resolves with the first item, as soon as there is one. */
  take(): Promise<T>;
}

export function createAsyncQueue<T>(): AsyncQueue<T> {
  const items: T[] = [];
  let wake: (() => void) | undefined;
  return {
    put(item) {
      items.push(item);
      wake?.();
    },
    async take() {
      for (;;) {
        const [item] = items.splice(0, 1);
        if (item !== undefined) return item;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
