/**
 * A provider's text without secrets: bearer tokens, keys that look like one, and the secrets that the request was sent
 * with, also where only a part of one stands. Comes before any cut: half a key would not be found any more.
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const known = secrets.filter((secret) => secret !== '').toSorted((a, b) => b.length - a.length);
  const whole = known.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text);
  return known
    .reduce(withoutParts, whole)
    .replace(BEARER, (_token, word: string) => `${word} ${HIDDEN}`)
    .replace(KEY, HIDDEN);
}

const HIDDEN = '***';
const BEARER = /\b(Bearer)\s+(?!\*\*\*)[^\s"'\\]+/giu;
const KEY = /\bsk-[\w-]{8,}/gu;

/** As many characters of a secret are one, too. */
const PART_CHARS = 12;

/** Without runs of characters that stand in the secret just so. */
function withoutParts(text: string, secret: string): string {
  const parts = new Set<string>();
  for (let at = 0; at + PART_CHARS <= secret.length; at++) parts.add(secret.slice(at, at + PART_CHARS));
  if (parts.size === 0) return text;
  const pieces: string[] = [];
  let start = 0;
  for (let at = 0; at + PART_CHARS <= text.length; at++) {
    if (!parts.has(text.slice(at, at + PART_CHARS))) continue;
    const from = at;
    while (parts.has(text.slice(at + 1, at + 1 + PART_CHARS))) at++;
    at += PART_CHARS - 1;
    pieces.push(text.slice(start, from), HIDDEN);
    start = at + 1;
  }
  return pieces.join('') + text.slice(start);
}
