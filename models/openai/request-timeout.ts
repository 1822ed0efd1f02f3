/** Ends one HTTP request: when the caller aborts, or when nothing was heard for too long. */
export interface Deadline {
  signal: AbortSignal;
  /** Something arrived: the clock starts again. */
  heard(): void;
  /** True if the clock, not the caller, ended the request. */
  passed(): boolean;
  /** Closes the connection, whatever is still unread. */
  cut(): void;
  /** Lets go of the caller's signal. A connection whose answer was read to its end stays open for the next request. */
  end(): void;
}

/**
 * The client's own time-out ends with the response headers and says nothing of a body that never comes,
 * so the clock here runs until `end`.
 */
export function startDeadline(caller: AbortSignal, timeoutMs: number): Deadline {
  const controller = new AbortController();
  let passed = false;
  const abort = () => controller.abort(caller.reason);
  const timer = setTimeout(() => {
    passed = true;
    controller.abort();
  }, timeoutMs);
  caller.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    heard: () => timer.refresh(),
    passed: () => passed,
    cut: () => controller.abort(),
    end() {
      clearTimeout(timer);
      caller.removeEventListener('abort', abort);
    },
  };
}
