import { type SignalDefinition, log, setHandler } from '@temporalio/workflow';

/**
 * Handles a signal. A signal cannot be refused, so an invalid one is logged and has no effect. `read` returns undefined for invalid
 * arguments, or throws an Error with the reason.
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
    return read() ?? new Error('its arguments are not those that Reloop sends.');
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
