import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkerLook } from '../../client/index.ts';
import type { RunPart } from './run-parts.ts';

export type WorkerPart = Extract<RunPart, { type: 'worker' }>;

/** A sentence for people who wait for an answer. */
export const NO_WORKER =
  'No worker is there to answer. The question is kept, and is answered when one comes.';

/** A worker that is there takes a task in a fraction of this. */
const LOOK_MS = 3000;

/** Adds a part when no part has come for some seconds and no worker is there, and another when the parts continue. `isWorking`: a worker has something to do. */
export async function* withWorkerParts<P>(
  parts: AsyncGenerator<P>,
  look: WorkerLook,
  { isWorking, wrap, lookMs = LOOK_MS }: { isWorking(): boolean; wrap(part: WorkerPart): P; lookMs?: number },
): AsyncGenerator<P> {
  let isThere = true;
  let next = parts.next();
  for (;;) {
    const found = await within(next, lookMs);
    if (found === undefined) {
      const isMissing = isWorking() && (await look().catch(() => !isThere));
      if (isMissing !== isThere) continue;
      isThere = !isMissing;
      yield wrap({ type: 'worker', isThere });
      continue;
    }
    if (!isThere) yield wrap({ type: 'worker', isThere: true });
    isThere = true;
    if (found.done === true) return;
    yield found.value;
    next = parts.next();
  }
}

/** The result of the promise; undefined if it takes longer. */
export async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  const over = new AbortController();
  const late = sleep(ms, undefined, { ref: false, signal: over.signal }).catch(() => undefined);
  try {
    return await Promise.race([promise, late]);
  } finally {
    over.abort();
  }
}
