import type { RunPart } from './run-parts.ts';

/**
 * Leaves out what the record has taken back before the reader came: the first parts are those of the record as it is now. A later `void`
 * takes back what the reader has.
 */
export async function* settledParts(parts: AsyncIterable<{ part: RunPart }>): AsyncGenerator<RunPart> {
  let held: RunPart[] | undefined = [];
  for await (const { part } of parts) {
    if (held === undefined) yield part;
    else if (part.type === 'void') held = held.filter((one) => callOf(one) !== part.call);
    else held.push(part);
    if (part.type !== 'caught_up') continue;
    yield* held ?? [];
    held = undefined;
  }
  yield* held ?? [];
}

function callOf(part: RunPart): string | undefined {
  if (part.type === 'waiting') return part.wait.call;
  return 'call' in part ? part.call : undefined;
}
