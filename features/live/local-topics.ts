import type { LivePiece } from '../../agent/live-text/live-piece.ts';

/** Readers and writers in this process, by topic: text of a worker in the same process needs no broker. */
const readers = new Map<string, Set<(pieces: readonly LivePiece[]) => void>>();
const writers = new Map<string, Set<() => void>>();

/** Calls `onPieces` for pieces that workers of this process publish, from the texts' beginning. Returns a function that ends it. */
export function readLocally(topic: string, onPieces: (pieces: readonly LivePiece[]) => void): () => void {
  const leave = addTo(readers, topic, onPieces);
  askWriters(topic);
  return leave;
}

export function isReadLocally(topic: string): boolean {
  return readers.has(topic);
}

export function publishLocally(topic: string, pieces: readonly LivePiece[]): void {
  for (const onPieces of readers.get(topic) ?? []) onPieces(pieces);
}

/** Calls `again` when a new reader needs a text from its beginning. Returns a function that ends it. */
export function onAsked(topic: string, again: () => void): () => void {
  return addTo(writers, topic, again);
}

export function askWriters(topic: string): void {
  for (const again of writers.get(topic) ?? []) again();
}

function addTo<T>(all: Map<string, Set<T>>, topic: string, one: T): () => void {
  const known = all.get(topic) ?? new Set();
  all.set(topic, known.add(one));
  return () => {
    known.delete(one);
    if (known.size === 0 && all.get(topic) === known) all.delete(topic);
  };
}
