import type { Io } from './io.ts';

export const ENDING = 'Ending: work under way gets a few seconds; again to end at once.';

/** Ctrl-C, or what a supervisor sends; `stop` takes the handler back. */
export function untilSignal(io: Io): { signal: Promise<string>; stop(): void } {
  let stop: () => void = () => undefined;
  const signal = new Promise<string>((resolve) => (stop = io.onSignal(resolve)));
  return { signal, stop: () => stop() };
}
