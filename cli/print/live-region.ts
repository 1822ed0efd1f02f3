/** The lines at the end of a terminal that are written anew in place: text under way, progress. */
export interface LiveRegion {
  show(lines: string[]): void;
  /** Before anything that stays is written. */
  clear(): void;
}

/** Lines must be shorter than the terminal is wide: one that wraps could not be taken back. */
export function createLiveRegion(write: (text: string) => unknown): LiveRegion {
  let height = 0;
  const clear = () => {
    if (height > 0) write(`\u{1b}[${height}A\u{1b}[0J`);
    height = 0;
  };
  return {
    clear,
    show(lines) {
      clear();
      write(lines.map((line) => `${line}\n`).join(''));
      height = lines.length;
    },
  };
}
