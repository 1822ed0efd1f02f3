/**
 * A message's text without secrets: bearer tokens, keys that look like one, and those that are known, as
 * {@link withoutKnown} finds them. Comes before any cut: half a key would not be found any more.
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return withoutKnown(text, secrets)
    .replace(BEARER, (_token, word: string) => `${word} ${HIDDEN}`)
    .replace(KEY, HIDDEN);
}

/**
 * A text without these secrets, also as they stand in an address or in JSON, and where only a part of one stands. Leaves
 * all else as it is, so it is also for data.
 */
export function withoutKnown(text: string, secrets: readonly string[]): string {
  const known = [...new Set(secrets.flatMap(spellings))].toSorted((a, b) => b.length - a.length); // one may hold another
  const whole = known.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text);
  return withoutParts(whole, known);
}

/**
 * Which of these settings (headers, variables, options: name and value) are secrets: those whose name says so, and long
 * values. A header's token is one without its scheme, too.
 */
export function secretValues(settings: readonly (readonly [name: string, value: string])[]): string[] {
  return settings
    .filter(([name, value]) => isSecret(name, value))
    .flatMap(([, value]) => [value, value.replace(/^[a-z]+ +/iu, '')]);
}

const HIDDEN = '***';
const BEARER = /\b(Bearer)\s+(?!\*\*\*)[^\s"'\\]+/giu;
const KEY = /\bsk-[\w-]{8,}/gu;

const SECRET_NAME = /auth|key|token|secret|cookie|passw|credential|signature/iu;
const PUBLIC_NAME = /^(?:accept|content|user-agent$|path$)/iu;

/** As many characters of a secret are one, too; and a value of unknown meaning is a secret from this length on. */
const PART_CHARS = 12;

/** Shorter ones stand in any text by chance. */
const SECRET_CHARS = 4;

function isSecret(name: string, value: string): boolean {
  if (SECRET_NAME.test(name)) return value.length >= SECRET_CHARS;
  return value.length >= PART_CHARS && !PUBLIC_NAME.test(name) && !isPath(value);
}

/** Said in most messages on what went wrong, and needed there. */
function isPath(value: string): boolean {
  return /^(?:~|\.{0,2}\/)[\w./ -]*$|^[\w./ @-]+\.\w{1,4}$/u.test(value);
}

function spellings(secret: string): string[] {
  const plain = secret.toWellFormed();
  const inJson = JSON.stringify(plain).slice(1, -1);
  return [secret, plain, encodeURIComponent(plain), inJson].filter((text) => text !== '');
}

/** Without runs of characters that stand in a secret just so. Of the text only every seventh place is looked at closely. */
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

/** Wherever a part stands, one of these places has a whole probe of it behind it. */
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
