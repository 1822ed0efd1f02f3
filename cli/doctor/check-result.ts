/** One thing that `reloop doctor` looked at. */
export interface Check {
  name: string;
  state: 'ok' | 'note' | 'problem';
  found: string;
  /** The remedy. */
  advice?: string;
  /** Exit code of a problem that keeps everything from running. */
  exitCode?: number;
}

export function ok(name: string, found: string): Check {
  return { name, state: 'ok', found };
}

export function note(name: string, found: string, advice?: string): Check {
  return { name, state: 'note', found, ...(advice === undefined ? {} : { advice }) };
}

/** `why`: the advice, or an error whose message is one. */
export function problem(name: string, found: string, why: unknown, exitCode?: number): Check {
  const advice = why instanceof Error ? why.message : String(why);
  return { name, state: 'problem', found, advice, ...(exitCode === undefined ? {} : { exitCode }) };
}
