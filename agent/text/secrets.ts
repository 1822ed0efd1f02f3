/**
 * Removes secrets from a message: bearer tokens, values that look like keys, and known secrets, also as an address or
 * JSON writes them, and parts of 12 characters or more. To be called before any cut, since half a key is not found.
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const known = spelled(secrets);
  return withoutParts(withoutSpelled(text, known), known)
    .replace(BEARER, (_token, word: string) => `${word} ${HIDDEN}`)
    .replace(KEY, HIDDEN);
}

/**
 * Data without these secrets, also as an address or JSON writes them. Only whole secrets are taken out: a part may be an
 * ordinary word. `cut`: the data may end in the middle of a secret, whose start is then taken out, too.
 */
export function withoutWhole(
  text: string,
  secrets: readonly string[],
  { cut = false }: { cut?: boolean } = {},
): string {
  const known = spelled(secrets);
  return withoutSpelled(cut ? withoutBeginning(text, known) : text, known);
}

/** A setting (header, variable, option) that may be a secret. */
export type Setting = readonly [name: string, value: string];

/**
 * The settings that may be secrets, for messages: the name says so, or the value is long and looks like a key. A header's
 * token counts without its scheme, too.
 */
export function secretValues(settings: readonly Setting[]): string[] {
  return settings
    .filter(([name, value]) => mayBeSecret(name, value))
    .flatMap(([, value]) => [value, withoutScheme(value)]);
}

/**
 * The headers or variables that certainly are secrets, for data: the name says so, and the value is not an ordinary word. Cookies
 * and tokens count on their own, too.
 */
export function secretHeaders(headers: readonly Setting[]): string[] {
  return headers.flatMap(([name, value]) => {
    if (!isSecret(name, value)) return [];
    const token = withoutScheme(value);
    const cookies = /cookie$/iu.test(name)
      ? value.split(/; */u).map((pair) => pair.replace(/^[^=]*=/u, ''))
      : [];
    return [value, ...(isStrong(token) ? [token] : []), ...cookies.filter(isRandom)];
  });
}

/**
 * A key that is worth hiding. Local servers take any word for a key (`any`, `ollama`, `EMPTY`, `not-needed`), which would be
 * taken out of the middle of sentences.
 */
export function isSecretKey(key: string): boolean {
  return isStrong(key) && (key.startsWith('sk-') || key.length >= RANDOM_CHARS || !WORDS.test(key));
}

/** Words, each in small letters, capitals, or with a capital first. */
const WORDS = /^(?:[A-Z]?[a-z]+|[A-Z]+)(?:[-_ .](?:[A-Z]?[a-z]+|[A-Z]+))*$/u;

/** A key made of words is longer than a placeholder. */
const RANDOM_CHARS = 20;

const HIDDEN = '***';
const BEARER = /\b(Bearer)\s+(?!\*\*\*)[^\s"'\\]+/giu;
const KEY = /\bsk-[\w-]{8,}/gu;

/** Whole words: `x-monkey` and `authors` are not secrets. Names of variables run words together: PGPASSWORD. */
const SECRET_NAME =
  /(?:^|[^a-z])(?:auth(?:orization|entication)?|api_?key|key|token|secrets?|cookies?|credentials?|signature|pwd|pat)(?:$|[^a-z])|passw/u;
const PUBLIC_NAME = /^(?:accept|content|user-agent$|path$)/iu;

/** Names of headers that hold a secret whatever the value looks like. */
const CERTAIN_NAME =
  /(?:^|-)(?:authorization|(?:api|auth|access|private|secret|subscription|security|session)-?(?:key|token)|apikey|secret|passw(?:or)?d|passphrase|credentials?)$|^(?:x-)?key$|^(?:set-)?cookie$/u;

/** A cache key and a page's token are called so, too: the value has to look random. */
const KEY_NAME = /(?:^|-)(?:key|token|auth|signature|jwt|session|cookies?)$/u;

const SCHEME = /^(?:bearer|basic|token|apikey) +/iu;

/** Characters of a part that is hidden like the whole secret. A value of unknown meaning is a secret from this length on. */
const PART_CHARS = 12;

/** Shorter values occur in any text by chance. */
const SECRET_CHARS = 4;

/** A word of this length may occur in any text; a password has this length. */
const WORD_CHARS = 8;

function mayBeSecret(name: string, value: string): boolean {
  if (SECRET_NAME.test(words(name))) return value.length >= SECRET_CHARS && !isSwitch(value);
  const looksLikeKey = value.length >= PART_CHARS && /\d|[a-z]{20}/iu.test(value);
  return looksLikeKey && !PUBLIC_NAME.test(name) && !isPath(value) && !/^https?:/iu.test(value);
}

function isSecret(name: string, value: string): boolean {
  const key = words(name)
    .replaceAll(/[^a-z]+/gu, '-')
    .replace(/-$/u, '');
  if (CERTAIN_NAME.test(key)) return isStrong(value);
  return (KEY_NAME.test(key) && isRandom(value)) || (SCHEME.test(value) && isStrong(withoutScheme(value)));
}

/** `apiKey` is two words. */
function words(name: string): string {
  return name.replaceAll(/([a-z])(?=[A-Z])/gu, '$1-').toLowerCase();
}

function withoutScheme(value: string): string {
  return value.replace(/^[a-z]+ +/iu, '');
}

/** No word that any answer may hold. */
function isStrong(value: string): boolean {
  if (isSwitch(value) || /^https?:/iu.test(value)) return false;
  return (
    value.length >= WORD_CHARS || (value.length >= SECRET_CHARS && /\d/u.test(value) && /\D/u.test(value))
  );
}

/** Letters and digits take turns, or more of them follow each other than in a word. */
function isRandom(value: string): boolean {
  if (/^https?:/iu.test(value)) return false;
  return (
    (value.length >= WORD_CHARS && /[a-z]\d+[a-z]|\d[a-z]+\d/iu.test(value)) || /[a-z\d]{20}/iu.test(value)
  );
}

function isSwitch(value: string): boolean {
  return /^(?:true|false|none|null|auto|default|basic|bearer|optional|required|disabled|enabled)$/iu.test(
    value,
  );
}

/** Paths are in most error messages, and needed there. */
function isPath(value: string): boolean {
  return /^(?:~|\.{0,2}\/)[\w./ -]*$|^[\w./ @-]+\.\w{1,4}$/u.test(value);
}

function spelled(secrets: readonly string[]): string[] {
  // The longest first: a secret may hold another one.
  return [...new Set(secrets.flatMap(spellings))].toSorted((a, b) => b.length - a.length);
}

/** A secret as addresses, forms, and the JSON of several languages write it. */
function spellings(secret: string): string[] {
  const plain = secret.toWellFormed();
  const inAddress = encodeURIComponent(plain);
  const inJson = JSON.stringify(plain).slice(1, -1);
  return [
    secret,
    plain,
    inAddress,
    inAddress.replaceAll('%20', '+'),
    inAddress.replaceAll(/%[\dA-F]{2}/gu, (code) => code.toLowerCase()),
    inJson,
    inJson.replaceAll('/', String.raw`\/`),
    inJson.replaceAll(/[&'<=>]/gu, (sign) => String.raw`\u00${sign.charCodeAt(0).toString(16)}`),
  ].filter((text) => text !== '');
}

function withoutSpelled(text: string, known: readonly string[]): string {
  return known.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text);
}

/** The text without the start of a secret at its end. */
function withoutBeginning(text: string, known: readonly string[]): string {
  let length = 0;
  for (const secret of known) {
    for (let n = secret.length - 1; n > Math.max(length, SECRET_CHARS - 1); n--)
      if (text.endsWith(secret.slice(0, n))) length = n;
  }
  return length === 0 ? text : text.slice(0, -length) + HIDDEN;
}

/** Removes runs of characters that a secret has, too. Examines only every seventh place of the text. */
function withoutParts(text: string, secrets: readonly string[]): string {
  const parts = windowsOf(secrets, PART_CHARS);
  const probes = windowsOf(secrets, PROBE_CHARS);
  const pieces: string[] = [];
  let start = 0;
  for (let at = 0; parts.size > 0 && at + PROBE_CHARS <= text.length;) {
    const near = probes.has(text.slice(at, at + PROBE_CHARS));
    const from = near ? firstPart(text, Math.max(start, at - STRIDE + 1), at, parts) : undefined;
    if (from === undefined) {
      at += STRIDE;
      continue;
    }
    at = from + PART_CHARS;
    while (parts.has(text.slice(at + 1 - PART_CHARS, at + 1))) at++;
    pieces.push(text.slice(start, from), HIDDEN);
    start = at;
  }
  return pieces.join('') + text.slice(start);
}

/** Wherever a part is, a whole probe of it starts at one of these places. */
const PROBE_CHARS = 6;
const STRIDE = PART_CHARS - PROBE_CHARS + 1;

function firstPart(text: string, from: number, to: number, parts: Set<string>): number | undefined {
  for (let at = from; at <= to; at++) if (parts.has(text.slice(at, at + PART_CHARS))) return at;
  return undefined;
}

function windowsOf(secrets: readonly string[], chars: number): Set<string> {
  const windows = new Set<string>();
  for (const secret of secrets) {
    for (let at = 0; at + chars <= secret.length; at++) windows.add(secret.slice(at, at + chars));
  }
  return windows;
}
