/** An outage is over when nothing has failed for so long. */
const OVER_MS = 60_000;

/** Returns a function that reports the first failure of each outage of a channel. */
export function reportOutages(name: string, onWarning: (text: string) => void): (error: unknown) => void {
  let failedAt = -Infinity;
  return (error) => {
    const now = performance.now();
    const isNew = now - failedAt > OVER_MS;
    failedAt = now;
    if (isNew)
      onWarning(
        `Live text: ${name} cannot be used (${reasonOf(error)}). Text comes with heartbeats meanwhile.`,
      );
  };
}

/** Connection errors of several addresses have their reasons in `errors`. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  const { message, code } = error as { message?: unknown; code?: unknown }; // of an Error, as all packages throw
  return String(message === '' || message === undefined ? (code ?? error) : message);
}
