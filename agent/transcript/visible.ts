import type { Entry } from './entries.ts';

/**
 * The entries that the model sees: after a compaction the summary and the turns that it keeps, and of these the last
 * `trim` steps (0 or less: all), with the results of background calls that came among them. The summary precedes the kept turns, so
 * appending entries never changes the start of the list.
 */
export function visible<T>(items: readonly T[], trim: number, entryOf: (item: T) => Entry): T[] {
  return trimmed(compacted(items, entryOf), trim, entryOf);
}

/**
 * The places at which turns start, one for each model call that has a later entry: its reply, its first step, or the
 * answer that a message came upon.
 */
export function turnStarts(entries: readonly Entry[]): number[] {
  const starts: number[] = [];
  let current: string | undefined;
  for (const [index, entry] of entries.entries()) {
    const turn = turnOf(entry);
    if (turn !== undefined && turn !== current) starts.push(index);
    current = turn ?? current;
    if (entry.type === 'message' && entry.role === 'assistant') starts.push(index);
  }
  return starts;
}

/** Number of the turn, for entries that have one: `3`. */
function turnOf(entry: Entry): string | undefined {
  if (entry.type === 'reply') return entry.call;
  return entry.type === 'step' ? entry.call.slice(0, entry.call.lastIndexOf('.')) : undefined;
}

/** Index of the first entry of the last `keep` turns. */
export function keptFrom(entries: readonly Entry[], keep: number): number {
  const starts = turnStarts(entries);
  return starts[Math.max(0, starts.length - keep)] ?? entries.length;
}

function compacted<T>(items: readonly T[], entryOf: (item: T) => Entry): readonly T[] {
  const at = items.findLastIndex((item) => entryOf(item).type === 'summary');
  const summary = items[at];
  const entry = summary === undefined ? undefined : entryOf(summary);
  if (summary === undefined || entry?.type !== 'summary') return items;
  const before = items.slice(0, at);
  const from = keptFrom(before.map(entryOf), entry.keep);
  const old = before.slice(0, from);
  const lastAgent = old.findLastIndex((item) => entryOf(item).type === 'agent');
  const stays = old.filter((item, index) => {
    const { type } = entryOf(item);
    return type === 'question' || (type === 'agent' && (index === 0 || index === lastAgent));
  });
  return [...stays, summary, ...before.slice(from), ...items.slice(at + 1)];
}

/**
 * A reply goes with its last step. Messages of people stay. The result of a background call goes as a step at its place would, but not before the
 * model has seen it: a restart may keep a turn of which the model call did not have the result, so two turns have to come after it.
 */
function trimmed<T>(items: readonly T[], trim: number, entryOf: (item: T) => Entry): T[] {
  if (trim <= 0) return [...items];
  let [steps, turns, latest] = [0, 0, ''];
  const isShown = (entry: Entry): boolean => {
    const turn = turnOf(entry) ?? latest;
    if (turn !== latest) turns++;
    latest = turn;
    if (entry.type === 'step') return steps++ < trim;
    return entry.type !== 'late' || steps < trim || turns < 2;
  };
  const shown = items
    .toReversed()
    .filter((item) => isShown(entryOf(item)))
    .toReversed();
  return shown.filter((item, index) => {
    const next = shown[index + 1];
    return entryOf(item).type !== 'reply' || (next !== undefined && entryOf(next).type === 'step');
  });
}
