import type { Json } from '../values/vocabulary.ts';

/** Python's idea of white space, which LangChain's parsers rest on; JavaScript's differs (BOM in, U+001C to U+001F and U+0085 out). */
export const PY_SPACE =
  '[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';

const space = new RegExp(`^${PY_SPACE}$`, 'u');

/** `str.strip()`; with `characters`, `str.strip(characters)`. */
export function pyStrip(text: string, characters?: string): string {
  const strips = (char: string) => (characters === undefined ? space.test(char) : characters.includes(char));
  let start = 0;
  let end = text.length;
  while (start < end && strips(text.charAt(start))) start++;
  while (end > start && strips(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Index of `text[-1]`: Python counts whole characters, JavaScript halves of some. */
export function pyLastCharacter(text: string): number {
  return text.length - (/[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(-2)) ? 2 : 1);
}

/** JSON text as Python's `json.dumps` writes it, with blanks after commas and colons. */
export function pyJson(value: Json): string {
  return JSON.stringify(value, null, 1)
    .replace(/,\n\s*/gu, ', ')
    .replace(/\n\s*/gu, '');
}
