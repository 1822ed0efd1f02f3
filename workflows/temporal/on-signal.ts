import { type SignalDefinition, log, setHandler } from '@temporalio/workflow';

/**
 * Handles a signal, which cannot be refused: what `read` finds to be none of ours is logged and changes nothing. `read`
 * returns undefined for it, or throws an Error that says why.
 */
export function onSignal<A extends unknown[], T>(
  signal: SignalDefinition<A>,
  read: (...sent: unknown[]) => T | undefined,
  take: (value: T) => void,
  description?: string,
): void {
  const handler = (...sent: unknown[]) => {
    const value = orReason(() => read(...sent));
    if (value instanceof Error) log.warn(`A signal ${signal.name} is ignored: ${value.message}`);
    else take(value);
  };
  setHandler(signal, handler, description === undefined ? {} : { description });
}

function orReason<T>(read: () => T | undefined): T | Error {
  try {
    return read() ?? new Error('it is not what Reloop sends.');
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
