import { isExact } from '../values/json-object.ts';
import { limits } from '../values/limits.ts';
import { wellFormed } from '../values/values.ts';
import type { Json } from '../values/vocabulary.ts';

/**
 * `broken`: not JSON; `keep` is the length of the longest beginning that is JSON with the closers after it (0: none).
 * `refused`: nested deeper than can be recorded.
 */
export type Decoded = { type: 'value'; value: Json } | { type: 'broken'; keep: number } | { type: 'refused' };

interface Reader {
  readonly text: string;
  readonly closers: string;
  at: number;
  depth: number;
  /** Number of open arrays and objects, from the outside, that match the closers. */
  matched: number;
  keep: number;
  refused: boolean;
}

const WORDS = new Map<string, Json>([
  ['null', null],
  ['true', true],
  ['false', false],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]);
const ESCAPES = new Map(Object.entries({ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }));

/** Python's `json.loads(text, strict=False)`, in one pass: NaN and raw line breaks are fine, the last of equal keys wins. */
export function decodeJson(text: string, closers = ''): Decoded {
  const reader = { text, closers, at: 0, depth: 0, matched: 0, keep: 0, refused: false };
  skipBlanks(reader);
  const value = readValue(reader);
  skipBlanks(reader);
  if (reader.refused) return { type: 'refused' };
  if (value !== undefined && reader.at === text.length) return { type: 'value', value };
  return { type: 'broken', keep: reader.keep };
}

/** Undefined, here and below: it cannot be read. */
function readValue(reader: Reader): Json | undefined {
  const value = readToken(reader);
  if (value !== undefined) markCloseable(reader);
  return value;
}

function readToken(reader: Reader): Json | undefined {
  for (const [word, value] of WORDS) if (takes(reader, word)) return value;
  switch (reader.text[reader.at]) {
    case '"':
      return readString(reader);
    case '[':
      return readArray(reader);
    case '{':
      return readObject(reader);
    default:
      return readNumber(reader);
  }
}

function readArray(reader: Reader): Json[] | undefined {
  if (!enter(reader, ']')) return undefined;
  const items: Json[] = [];
  if (leaves(reader, ']')) return items;
  for (;;) {
    skipBlanks(reader);
    const item = readValue(reader);
    if (item === undefined) return undefined;
    items.push(item);
    if (leaves(reader, ']')) return items;
    if (!takes(reader, ',')) return undefined;
  }
}

function readObject(reader: Reader): { [key: string]: Json } | undefined {
  if (!enter(reader, '}')) return undefined;
  const entries: [string, Json][] = [];
  if (leaves(reader, '}')) return {};
  for (;;) {
    skipBlanks(reader);
    const key = readString(reader);
    if (key === undefined) return undefined;
    skipBlanks(reader);
    if (!takes(reader, ':')) return undefined;
    skipBlanks(reader);
    const value = readValue(reader);
    if (value === undefined) return undefined;
    entries.push([key, value]);
    // No assignment, since a key may be called __proto__.
    if (leaves(reader, '}')) return Object.fromEntries(entries);
    if (!takes(reader, ',')) return undefined;
  }
}

function enter(reader: Reader, closer: string): boolean {
  if (reader.depth === limits.jsonDepth) reader.refused = true;
  if (reader.refused) return false;
  const { depth, closers } = reader;
  if (reader.matched === depth && closers.at(-1 - depth) === closer) reader.matched++;
  reader.depth++;
  reader.at++;
  markCloseable(reader);
  return true;
}

/** Takes the closer, if it comes next. */
function leaves(reader: Reader, closer: string): boolean {
  skipBlanks(reader);
  if (!takes(reader, closer)) return false;
  reader.depth--;
  reader.matched = Math.min(reader.matched, reader.depth);
  return true;
}

function markCloseable(reader: Reader): void {
  const { depth, closers, matched } = reader;
  if (depth === closers.length && depth === matched) reader.keep = reader.at;
}

function readString(reader: Reader): string | undefined {
  const { text } = reader;
  if (text[reader.at] !== '"') return undefined;
  const pieces: string[] = [];
  let start = reader.at + 1;
  for (let at = start; at < text.length; at++) {
    if (text[at] === '"') {
      reader.at = at + 1;
      return wellFormed(pieces.join('') + text.slice(start, at));
    }
    if (text[at] !== '\\') continue;
    const escaped = readEscape(text, at + 1);
    if (escaped === undefined) return undefined;
    pieces.push(text.slice(start, at), escaped);
    at += text[at + 1] === 'u' ? 5 : 1;
    start = at + 1;
  }
  return undefined;
}

function readEscape(text: string, at: number): string | undefined {
  const char = text[at];
  if (char === '"' || char === '\\' || char === '/') return char;
  if (char !== 'u') return char === undefined ? undefined : ESCAPES.get(char);
  const digits = text.slice(at + 1, at + 5);
  return /^[\da-f]{4}$/iu.test(digits) ? String.fromCharCode(Number.parseInt(digits, 16)) : undefined;
}

/** A number that JavaScript cannot hold stays its text. */
function readNumber(reader: Reader): number | string | undefined {
  const pattern = /-?(?:0|[1-9]\d*)((?:\.\d+)?(?:[eE][-+]?\d+)?)/uy;
  pattern.lastIndex = reader.at;
  const [number, rest] = pattern.exec(reader.text) ?? [];
  if (number === undefined) return undefined;
  reader.at += number.length;
  if (!isExact(number)) return number;
  // An integer has no negative zero.
  return rest === '' ? Number(number) + 0 : Number(number);
}

function takes(reader: Reader, word: string): boolean {
  if (!reader.text.startsWith(word, reader.at)) return false;
  reader.at += word.length;
  return true;
}

function skipBlanks(reader: Reader): void {
  while (' \t\n\r'.includes(reader.text[reader.at] ?? 'end')) reader.at++;
}
