/** Reports progress; `line` gets the seconds so far. */
export type ReportProgress = (line: (seconds: number) => string) => void;

/** Rate limit: one line per five seconds, the first at once. */
export function everyFiveSeconds(say: (line: string) => void): ReportProgress {
  const startedAt = Date.now();
  let next = startedAt;
  return (line) => {
    if (Date.now() < next) return;
    next = Date.now() + 5_000;
    say(line(Math.round((Date.now() - startedAt) / 1000)));
  };
}
