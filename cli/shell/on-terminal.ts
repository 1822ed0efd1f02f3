import { CONTROL, sanitizeForTerminal } from '../../agent/text/sanitize.ts';

/** A terminal that understands escape sequences: colors, and lines that are rewritten in place. */
export function isAnsiTerminal(
  { isTTY }: { isTTY?: boolean | undefined },
  env: { [name: string]: string | undefined },
): boolean {
  return isTTY === true && env['TERM'] !== 'dumb';
}

/** JSON for a terminal, with an escape for these characters as well. JSON itself escapes only those below U+0020. */
export function jsonOn({ isTTY }: { isTTY?: boolean | undefined }, json: string): string {
  if (isTTY !== true) return json;
  return json.replace(CONTROL, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Sanitizes for a terminal; a pipe gets the text unchanged. */
export function sanitizedFor({ isTTY }: { isTTY?: boolean | undefined }, text: string): string {
  return isTTY === true ? sanitizeForTerminal(text) : text;
}
