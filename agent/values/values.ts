import { limits } from './limits.ts';
import type { Json } from './vocabulary.ts';

/**
 * The one edge for values. What a tool, a model, an MCP server, a config, a client or a person hands over passes here
 * before it is recorded: one completion that protobuf cannot write ends a whole worker, and again the next one.
 */

/** Half a surrogate pair becomes U+FFFD. */
export function wellFormed(text: string): string {
  return text.toWellFormed();
}

/** Any value as a text of at most `maxChars` whole characters, with a note on a cut. Never throws. */
export function boundedText(value: unknown, maxChars: number): string {
  const text = wellFormed(typeof value === 'string' ? value : describe(value));
  if (text.length <= maxChars) return text;
  const kept = wholeCharacters(text.slice(0, maxChars));
  return `${kept}… (${text.length - kept.length} more characters)`;
}

/**
 * A value converted as by JSON, every text well-formed; values that JSON lacks become null. Throws a TypeError, whose
 * message is a sentence, for a circle or more than `limits.jsonDepth` levels.
 */
export function plainJson(value: unknown): Json {
  if (typeof value === 'string') return wellFormed(value);
  const text = stringify(value);
  if (text === undefined) return null;
  const json = JSON.parse(text) as Json; // written by JSON.stringify
  if (isDeeper(json, limits.jsonDepth)) throw tooDeep();
  // JSON.stringify writes only half a surrogate pair as an escape.
  return /\\ud[89a-f]/iu.test(text) ? withWellFormedTexts(json) : json;
}

/** Milliseconds as a whole, finite number from 0; undefined for any other value. */
export function finiteMs(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.ceil(value) : undefined;
}

/** Does not end between the halves of a character. */
export function wholeCharacters(text: string): string {
  return /[\ud800-\udbff]$/u.test(text) ? text.slice(0, -1) : text;
}

/** A field of anything. Never throws: a getter or a proxy that does has nothing to say. */
export function fieldOf(value: unknown, field: string): unknown {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return undefined;
  try {
    return (value as { [field: string]: unknown })[field]; // any object may be asked
  } catch {
    return undefined;
  }
}

export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

function describe(value: unknown): string {
  try {
    return String(value);
  } catch {
    return `[a value of type ${typeof value} that has no text]`;
  }
}

/** undefined for undefined, and for functions. */
function stringify(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, (_key, item: unknown) =>
      typeof item === 'bigint' ? item.toString() : item,
    );
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep(error);
    const why = boundedText(messageOf(error), 200);
    throw new TypeError(`The value cannot be written as JSON: ${why}`, { cause: error });
  }
}

/** The first line; the others of a circle draw it. */
function messageOf(error: unknown): string {
  const message = fieldOf(error, 'message');
  return boundedText(typeof message === 'string' ? message : error, limits.errorChars)
    .split('\n', 1)
    .join('');
}

/** Level by level, because a recursion over it could itself be too deep. A circle is deeper than any number. */
export function isDeeper(json: unknown, levels: number): boolean {
  let level: unknown[] = [json];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levels) return true;
    const next = level.flatMap((item) => (isNested(item) ? Object.values(item).filter(isNested) : []));
    level = [...new Set(next)]; // each circle once
  }
  return false;
}

function isNested(item: unknown): item is object {
  return item !== null && typeof item === 'object';
}

function tooDeep(cause?: RangeError): TypeError {
  return new TypeError(`The value is nested more than ${limits.jsonDepth} levels deep. Flatten it.`, {
    cause,
  });
}

function withWellFormedTexts(json: Json): Json {
  if (typeof json === 'string') return wellFormed(json);
  if (json === null || typeof json !== 'object') return json;
  if (Array.isArray(json)) return json.map(withWellFormedTexts);
  return Object.fromEntries(
    Object.entries(json).map(([key, item]) => [wellFormed(key), withWellFormedTexts(item)]),
  );
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
