import type { Approval } from '../start/approvals.ts';
import type { PlacedPart } from './follow-reply.ts';

/** Leaves out the parts up to the last of the waits that the client has answered: it has them from the reply before. */
export async function* partsAfter(
  parts: AsyncGenerator<PlacedPart>,
  answered: readonly Approval[],
): AsyncGenerator<PlacedPart> {
  const placeOf = createKnownParts(answered);
  for await (const placed of parts) if (placeOf(placed.part) === 'new') yield placed;
}

/** Place of a part in what the client has: among it, its end, or after it. */
export type PartPlace = 'known' | 'last known' | 'new';

/**
 * Returns a function that is called with each part in turn. The client has the parts up to the place where the waits that it has answered held
 * the run up, which is the end of the reply before; a wait that the record does not have any more holds back nothing new. `hasRecord`: without answers, the client has all that is recorded.
 */
export function createKnownParts(
  answered: readonly Approval[],
  hasRecord = false,
): (part: PlacedPart['part']) => PartPlace {
  const names = new Set(answered.map(({ call, n }) => `${call} ${n}`));
  const left = new Set(names);
  const hasAnswered = left.size > 0;
  const calls = new Set(answered.map(({ call }) => call));
  let isKnown = hasAnswered || hasRecord;
  return (part) => {
    if (part.type === 'ended') isKnown = false;
    if (!isKnown) return 'new';
    if (part.type === 'waiting') left.delete(`${part.wait.call} ${part.wait.n}`);
    const isAnswered = hasAnswered && left.size === 0;
    if (isAnswered && part.type === 'wait_ended' && calls.has(part.call)) {
      isKnown = false;
      return 'new';
    }
    const isEnd =
      isAnswered && part.type === 'held_up' && part.by.some(({ call, n }) => names.has(`${call} ${n}`));
    isKnown = part.type !== 'caught_up' && !isEnd;
    return isKnown ? 'known' : 'last known';
  };
}
