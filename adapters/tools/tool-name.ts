/** Controls (C0, C1), line separators, and characters that change the order of text: terminals and the Web UI show names. */
const UNSHOWN = /[\p{Cc}\p{Cs}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Checks a tool's name. Returns the problem as a sentence without a full stop, safe to print, or undefined. */
export function problemOfName(name: string): string | undefined {
  const shown = JSON.stringify(name.replaceAll(UNSHOWN, codePoint));
  if (!/^\S(?:.*\S)?$/su.test(name)) return `The tool name ${shown} is empty, or begins or ends with a blank`;
  return name.search(UNSHOWN) < 0
    ? undefined
    : `The tool name ${shown} holds a line break or another character that is not shown`;
}

function codePoint(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}
