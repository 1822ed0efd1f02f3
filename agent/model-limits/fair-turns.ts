/**
 * Turns of several names at one resource, each in proportion to its costs (start-time fair queueing). A name that comes
 * back keeps its turn, so that leaving and coming back gains nothing. JSON: part of a workflow's state.
 */
export interface Turns {
  /** The latest turn that was taken. */
  clock: number;
  /** Next turn of each name whose turn is later than the clock. */
  next: { [name: string]: number };
}

export function newTurns(): Turns {
  return { clock: 0, next: {} };
}

/** The name whose turn is the earliest; undefined if there are no names. */
export function firstOf({ clock, next }: Turns, names: readonly string[]): string | undefined {
  const turn = (name: string) => turnOf({ clock, next }, name);
  return names.reduce<string | undefined>(
    (first, name) => (first === undefined || turn(name) < turn(first) ? name : first),
    undefined,
  );
}

/** The name takes its turn. */
export function taken(turns: Turns, name: string, cost: number): Turns {
  const clock = turnOf(turns, name);
  const all = Object.entries({ ...turns.next, [name]: clock + cost });
  return { clock, next: Object.fromEntries(all.filter(([, turn]) => turn > clock)) };
}

/** A name may be that of a field of every object, such as `constructor`. */
function turnOf({ clock, next }: Turns, name: string): number {
  return Math.max(clock, Object.hasOwn(next, name) ? (next[name] ?? 0) : 0);
}
