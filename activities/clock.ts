import { limits } from '../agent/limits.ts';

/** The time-out of one attempt. */
export interface Clock {
  /** The time begins anew, from now on `timeoutMs` long where that is given. Nothing happens once the clock is stopped. */
  restart(timeoutMs?: number): void;
  stop(): void;
}

/** Calls `over`, once, when `timeoutMs` have passed without a restart. A time longer than a timer can count is the longest it can. */
export function startClock(timeoutMs: number, over: (timeoutMs: number) => void): Clock {
  let currentMs = timeoutMs;
  let stopped = false;
  const start = () => setTimeout(() => over(currentMs), Math.min(currentMs, limits.timerMs));
  let timer = start();
  return {
    restart(nextMs = currentMs) {
      if (stopped) return;
      if (nextMs === currentMs) {
        timer.refresh();
        return;
      }
      clearTimeout(timer);
      currentMs = nextMs;
      timer = start();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
