import type { Work } from '../../../agent/views/run-turns.ts';

/** A time in which something ran or waited, in milliseconds since 1970. */
export interface Interval {
  from: number;
  to: number;
}

/** Time of the latest event; undefined: there is none. The events of calls beside each other are not all in the order of their times. */
export function latestOf(events: readonly { at: number }[]): number | undefined {
  return events.length === 0 ? undefined : events.reduce((latest, { at }) => Math.max(latest, at), -Infinity);
}

/** When a call ran. A sub-agent that waits for a person does not, though its call is open all the while. `end`: of what is open. */
export function running({ spans }: Work, end: number): Interval[] {
  const runs = spans.flatMap(({ type, from, to = end }) => (type === 'run' ? [{ from, to }] : []));
  return waiting({ spans }, end).reduce(without, runs);
}

/** When it waited for a person. */
export function waiting({ spans }: Pick<Work, 'spans'>, end: number): Interval[] {
  return spans.flatMap(({ type, from, to = end }) => (type === 'wait' ? [{ from, to }] : []));
}

/** Intervals that overlap or touch, as one; in order. */
export function merged(intervals: readonly Interval[]): Interval[] {
  const union: Interval[] = [];
  for (const { from, to } of [...intervals].sort((a, b) => a.from - b.from)) {
    const last = union.at(-1);
    if (last === undefined || from > last.to) union.push({ from, to });
    else last.to = Math.max(last.to, to);
  }
  return union;
}

/** Milliseconds; overlapping intervals count once. */
export function lasting(intervals: readonly Interval[]): number {
  return merged(intervals).reduce((total, { from, to }) => total + to - from, 0);
}

function without(intervals: Interval[], { from, to }: Interval): Interval[] {
  return intervals.flatMap((interval) => {
    if (to <= interval.from || from >= interval.to) return [interval];
    const parts = [
      { from: interval.from, to: from },
      { from: to, to: interval.to },
    ];
    return parts.filter((part) => part.to > part.from);
  });
}
