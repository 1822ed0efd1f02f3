import type { Approval } from '../start/approvals.ts';
import type { PlacedPart } from './follow-reply.ts';

/** Leaves out the parts up to the last of the waits that the client has answered: it has them from the reply before. */
export async function* partsAfter(
  parts: AsyncGenerator<PlacedPart>,
  answered: readonly Approval[],
): AsyncGenerator<PlacedPart> {
  const isKnown = createKnownParts(answered);
  for await (const placed of parts) if (!isKnown(placed.part)) yield placed;
}

/** Returns a function that is called with each part in turn. A wait that the record does not have any more holds back nothing new. */
export function createKnownParts(answered: readonly Approval[]): (part: PlacedPart['part']) => boolean {
  const left = new Set(answered.map(({ call, n }) => `${call} ${n}`));
  return (part) => {
    if (part.type === 'ended') left.clear();
    const isKnown = left.size > 0;
    if (part.type === 'waiting') left.delete(`${part.wait.call} ${part.wait.n}`);
    if (part.type === 'caught_up') left.clear();
    return isKnown;
  };
}
