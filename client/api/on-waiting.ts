import { type WaitingCall, needsPerson } from '../../agent/rules/waiting.ts';
import type { RunView } from '../../agent/views/view.ts';
import { DecisionRefused } from '../connect/errors.ts';

/** Hands each wait of a run to a listener, once. */
export interface WaitingTeller {
  /** Takes the state of the run after each of its events. */
  next(view: Pick<RunView, 'waiting' | 'isCaughtUp'>): void;
  /** Aborted with the listener's error, or with the given signal. */
  signal: AbortSignal;
}

/**
 * Skips waits that were over when the reader started. Does not await the listener's result, so that other calls continue
 * waiting side by side. A refused decision on a wait that is over by then is not an error: another person decided
 * first. `given`: ends the following as well.
 */
export function createWaitingTeller(
  tell: (waiting: WaitingCall) => unknown,
  stillWaits: (waiting: WaitingCall) => Promise<boolean>,
  given?: AbortSignal,
): WaitingTeller {
  // A sub-agent's wait may arrive twice in its parent, so each wait is reported once.
  const told = new Set<string>();
  const failed = new AbortController();
  const signal = given === undefined ? failed.signal : AbortSignal.any([failed.signal, given]);

  function tellOnce(wait: WaitingCall): void {
    const key = `${wait.call} ${wait.n}`;
    if (told.has(key)) return;
    told.add(key);
    Promise.resolve(wait)
      .then(tell)
      .catch(async (error: unknown) => {
        const isOver = error instanceof DecisionRefused && !(await stillWaits(wait).catch(() => true));
        if (!isOver) failed.abort(error);
      });
  }

  return {
    signal,
    next({ waiting, isCaughtUp }) {
      if (isCaughtUp) waiting.filter(needsPerson).forEach(tellOnce);
    },
  };
}
