import type { LivePiece } from '../agent/live-text/live-piece.ts';

/** Readers in this process, by topic: text of a worker in the same process needs no broker. */
const readers = new Map<string, Set<(pieces: readonly LivePiece[]) => void>>();

/** Calls `onPieces` for pieces that workers of this process publish. Returns a function that ends it. */
export function readLocally(topic: string, onPieces: (pieces: readonly LivePiece[]) => void): () => void {
  const known = readers.get(topic) ?? new Set();
  readers.set(topic, known.add(onPieces));
  return () => {
    known.delete(onPieces);
    if (known.size === 0 && readers.get(topic) === known) readers.delete(topic);
  };
}

export function isReadLocally(topic: string): boolean {
  return readers.has(topic);
}

export function publishLocally(topic: string, pieces: readonly LivePiece[]): void {
  for (const onPieces of readers.get(topic) ?? []) onPieces(pieces);
}
