/**
 * The items of a source, and undefined after each `ms` in which none came. A promise that waits for days gets one
 * reaction, not one for each pause.
 */
export async function* withPauses<T>(
  next: () => Promise<IteratorResult<T, unknown>>,
  ms: number,
): AsyncGenerator<T | undefined> {
  for (;;) {
    const waiting: { arrived?: PromiseSettledResult<IteratorResult<T, unknown>>; wake(): void } = {
      wake: () => undefined,
    };
    const arrive = (result: PromiseSettledResult<IteratorResult<T, unknown>>) => {
      waiting.arrived = result;
      waiting.wake();
    };
    next().then(
      (value) => arrive({ status: 'fulfilled', value }),
      (reason: unknown) => arrive({ status: 'rejected', reason }),
    );
    while (waiting.arrived === undefined) {
      const pause = createPause(ms);
      waiting.wake = pause.end;
      if (!(await pause.over)) yield undefined;
    }
    const { result } = settled(waiting.arrived);
    if (result.done === true) return;
    yield result.value;
  }
}

/** `over` tells whether it was ended early. */
function createPause(ms: number): { over: Promise<boolean>; end(): void } {
  let end: () => void = () => undefined;
  const over = new Promise<boolean>((resolve) => {
    const timer = setTimeout(resolve, ms, false);
    timer.unref();
    end = () => {
      clearTimeout(timer);
      resolve(true);
    };
  });
  return { over, end };
}

function settled<T>(outcome: PromiseSettledResult<T>): { result: T } {
  if (outcome.status === 'rejected') throw outcome.reason;
  return { result: outcome.value };
}
