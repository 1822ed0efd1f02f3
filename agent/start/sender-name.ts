import { wellFormed } from '../values/values.ts';

const MOST_CHARS = 200;

/** Reads the name of a person who starts, steers or decides, as a run records it. undefined: it cannot be one. */
export function senderName(value: unknown): string | undefined {
  const isName = typeof value === 'string' && value.trim() !== '' && value.length <= MOST_CHARS;
  return isName ? wellFormed(value) : undefined;
}

/** Problem of the name of the person who starts a run; undefined if there is none. The name may be left out. */
export function senderProblem(by: unknown): string | undefined {
  if (by === undefined || senderName(by) !== undefined) return undefined;
  return `by is a text of 1 to ${MOST_CHARS} characters.`;
}
