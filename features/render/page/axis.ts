import { sum } from '../../../agent/values/values.ts';
import { type Interval, merged } from './spans.ts';

/** Axis of times on a page: positions from 0 to {@link WIDTH}. */
export interface Axis {
  place(at: number): number;
  /** Times in which nothing ran that are drawn shorter than they were. */
  gaps: Interval[];
}

export const WIDTH = 1000;

/** A gap that is longer than this part of all the time in which something ran is drawn that long. */
const GAP = 0.08;
/** Part of the rest that all such gaps together may take. */
const GAPS = 0.5;

interface Piece extends Interval {
  isGap: boolean;
  width: number;
}

/**
 * The time of a run. A wait of hours for a person, or for a worker, must not press the seconds in which something ran
 * into one line: times in which nothing did are shortened where they are long.
 */
export function axisOf(busy: readonly Interval[], whole: Interval): Axis {
  const pieces = piecesOf(merged(busy), whole);
  const total = sum(pieces.map(({ width }) => width)) || 1;
  const starts: number[] = [];
  let used = 0;
  for (const { width } of pieces) {
    starts.push(used);
    used += width;
  }
  return {
    place(at) {
      const index = indexAt(pieces, at);
      const piece = pieces[index];
      if (piece === undefined) return 0;
      const part = piece.to === piece.from ? 0 : (at - piece.from) / (piece.to - piece.from);
      return (((starts[index] ?? 0) + piece.width * Math.min(1, Math.max(0, part))) / total) * WIDTH;
    },
    gaps: pieces.filter(({ isGap, from, to, width }) => isGap && width < to - from),
  };
}

function piecesOf(busy: readonly Interval[], { from, to }: Interval): Piece[] {
  const pieces: Piece[] = [];
  let end = from;
  const gapTo = (at: number) => {
    if (at > end) pieces.push({ from: end, to: at, isGap: true, width: at - end });
  };
  for (const interval of busy) {
    gapTo(interval.from);
    pieces.push({ ...interval, isGap: false, width: interval.to - interval.from });
    end = interval.to;
  }
  gapTo(to);
  return shortened(pieces);
}

function shortened(pieces: Piece[]): Piece[] {
  const longest = GAP * sum(pieces.map(({ isGap, width }) => (isGap ? 0 : width)));
  if (longest === 0) return pieces;
  const isLong = ({ isGap, width }: Piece) => isGap && width > longest;
  const long = pieces.filter(isLong).length * longest;
  const rest = sum(pieces.map((piece) => (isLong(piece) ? 0 : piece.width)));
  const width = longest * Math.min(1, (rest * GAPS) / (long || 1));
  return pieces.map((piece) => (isLong(piece) ? { ...piece, width } : piece));
}

/** The piece that a time is in; the last that starts before it. */
function indexAt(pieces: readonly Piece[], at: number): number {
  let [low, high] = [0, pieces.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((pieces[middle]?.from ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}
