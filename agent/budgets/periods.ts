/** Start of the calendar day or month in UTC, in milliseconds since 1970. */
export function periodStart(per: 'day' | 'month', at: number): number {
  const date = new Date(at);
  const day = per === 'day' ? date.getUTCDate() : 1;
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), day);
}

/** Start of the next one. */
export function periodEnd(per: 'day' | 'month', at: number): number {
  const date = new Date(at);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  return per === 'day' ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1, 1);
}

/** Starts of the period of `at`, and of those before it. */
export function lastStarts(per: 'day' | 'month', at: number, periods: number): number[] {
  const starts = [periodStart(per, at)];
  while (starts.length < periods) starts.push(periodStart(per, (starts.at(-1) ?? at) - 1));
  return starts;
}
