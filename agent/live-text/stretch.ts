/** A text that grows by pieces, which arrive in any order. */
export interface Stretch {
  /** Characters of the whole text before `text`. */
  from: number;
  text: string;
  /** Pieces after a gap, by their offset. */
  apart: ReadonlyMap<number, string>;
}

export const emptyStretch: Stretch = { from: 0, text: '', apart: new Map() };

/** Most pieces that are kept until a gap is filled. */
const MOST_APART = 400;

/** Adds a piece where it continues the text; keeps it if there is a gap before it. `most`: characters to keep, the last ones. */
export function withPiece(stretch: Stretch, offset: number, delta: string, most: number): Stretch {
  const end = endOf(stretch);
  if (offset > end) {
    if (stretch.apart.size >= MOST_APART) return stretch;
    const longer = delta.length > (stretch.apart.get(offset)?.length ?? 0);
    return longer ? { ...stretch, apart: new Map(stretch.apart).set(offset, delta) } : stretch;
  }
  if (offset + delta.length <= end) return stretch;
  return joined(cut({ ...stretch, text: stretch.text + delta.slice(end - offset) }, most), most);
}

/** Takes a later state of the text, which starts at `from`; leaves the text as it is if the state is not later. */
export function withState(stretch: Stretch, from: number, text: string, most: number): Stretch {
  if (from <= endOf(stretch)) return withPiece(stretch, from, text, most);
  return joined(cut({ ...stretch, from, text }, most), most);
}

function endOf({ from, text }: Pick<Stretch, 'from' | 'text'>): number {
  return from + text.length;
}

/** Adds pieces that were apart and are so no longer. */
function joined(stretch: Stretch, most: number): Stretch {
  const end = endOf(stretch);
  const apart = new Map(stretch.apart);
  let next: [number, string] | undefined;
  for (const [offset, delta] of apart) {
    if (offset > end) continue;
    apart.delete(offset);
    if (offset + delta.length > end) next ??= [offset, delta];
  }
  if (next === undefined) return { ...stretch, apart };
  return withPiece({ ...stretch, apart }, ...next, most);
}

function cut(stretch: Stretch, most: number): Stretch {
  const over = Math.max(0, stretch.text.length - most);
  return over === 0 ? stretch : { ...stretch, from: stretch.from + over, text: stretch.text.slice(over) };
}
