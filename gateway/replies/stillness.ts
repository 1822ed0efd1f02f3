import type { RunView } from '../../client/index.ts';
import type { RunPart } from './run-parts.ts';
import { within } from './worker-parts.ts';

/** The next model call starts in a fraction of this, if one comes. */
const STILL_MS = 3000;

/** Adds the part `held_up` to those of a run that stands still after a turn: at a limit, no event says that it waits for its background calls. */
export async function* withStillness<P>(
  parts: AsyncGenerator<P>,
  { view, wrap, stillMs = STILL_MS }: { view: RunView; wrap(part: RunPart): P; stillMs?: number },
): AsyncGenerator<P> {
  for (;;) {
    const next = parts.next();
    next.catch(() => undefined); // the reader may leave before
    let found = await within(next, stillMs);
    if (found === undefined) {
      const by = view.isCaughtUp && view.heldUpBy().length === 0 ? view.heldUpBy({ isStill: true }) : [];
      if (by.length > 0) yield wrap({ type: 'held_up', by });
      found = await next;
    }
    if (found.done === true) return;
    yield found.value;
  }
}
