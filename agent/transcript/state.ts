import type { ToolResult } from '../calls.ts';
import { type Entry, type Mark, type ResultRef, START, advance, entryBytes, visible } from './entries.ts';
import type { Json } from '../vocabulary.ts';

/**
 * A transcript as far as it is needed: how long it is, what it says by digest, and of its entries those the model still
 * sees. Immutable; a longer one is a new one.
 */
export interface Transcript {
  mark: Mark;
  entries: readonly Entry[];
  bytes: number;
}

export const EMPTY: Transcript = { mark: START, entries: [], bytes: 0 };

export function transcriptAt(mark: Mark, entries: readonly Entry[]): Transcript {
  return { mark, entries, bytes: sizeOf(entries) };
}

/** The same with `delta` behind it, every observation in place; a step that the model no longer sees is dropped. */
export async function extendTranscript(
  before: Transcript,
  delta: readonly Entry[],
  observation: (ref: ResultRef) => Promise<Json>,
): Promise<Transcript> {
  const inPlace = async (entry: Entry): Promise<Entry> =>
    entry.type === 'step' && entry.ref !== undefined
      ? { ...entry, observation: await observation(entry.ref) }
      : entry;
  const added = await Promise.all(delta.map(inPlace));
  const all = [...before.entries, ...added];
  const [agent] = all;
  const trim = agent?.type === 'agent' ? agent.manifest.trimIntermediateSteps : 0;
  const entries = visible(all, trim, (entry) => entry);
  const bytes = entries.length < all.length ? sizeOf(entries) : before.bytes + sizeOf(added);
  return { mark: advance(before.mark, delta), entries, bytes };
}

/** What a recorded result says to the model: written by run-tool, or by an activity of somebody else's. */
export function observationIn(ref: ResultRef, result: unknown): Json {
  return ref.raw === true ? (result as Json) : (result as ToolResult).output;
}

export function isAt({ mark }: Transcript, { length, digest }: Mark): boolean {
  return mark.length === length && mark.digest === digest;
}

function sizeOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, entry) => sum + entryBytes(entry), 0);
}
