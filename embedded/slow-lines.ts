const PATIENCE_MS = 2_000;

/** What is said about work under way, from when it takes long: a program's terminal is its own. */
export function slowLines(say: (line: string) => unknown): (line: string) => void {
  const startedAt = Date.now();
  return (line) => {
    if (Date.now() - startedAt > PATIENCE_MS) say(line);
  };
}
