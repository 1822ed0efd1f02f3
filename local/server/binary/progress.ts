/** Given how many seconds it has taken so far. */
export type Tell = (line: (seconds: number) => string) => void;

/** May be called as often as one likes; says the first line at once. */
export function everyFiveSeconds(say: (line: string) => void): Tell {
  const startedAt = Date.now();
  let next = startedAt;
  return (line) => {
    if (Date.now() < next) return;
    next = Date.now() + 5_000;
    say(line(Math.round((Date.now() - startedAt) / 1000)));
  };
}
