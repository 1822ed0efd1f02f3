/** A run's time limit, as its timers tell of it. */
export interface TracedDeadline {
  readonly passed: boolean;
  timerStarted(timer: string): void;
  timerFired(timer: string): void;
  /** A person is waited for, or has given the run more time: what timers under way say does not hold any more. */
  putOff(): void;
  /** Another history goes on, with timers of its own. */
  reset(): void;
}

export function traceDeadline(): TracedDeadline {
  /** false once the limit was put off. */
  const timers = new Map<string, boolean>();
  let passed = false;
  return {
    get passed() {
      return passed;
    },
    timerStarted: (timer) => void timers.set(timer, true),
    timerFired: (timer) => void (passed ||= timers.get(timer) === true),
    putOff() {
      for (const timer of timers.keys()) timers.set(timer, false);
    },
    reset() {
      passed = false;
      timers.clear();
    },
  };
}
