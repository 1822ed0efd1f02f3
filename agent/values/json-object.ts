import type { Json, JsonObject } from './vocabulary.ts';

/** The value of a JSON text, as {@link exactJson} reads it; undefined for any other text. */
export function parseJson(text: string): Json | undefined {
  try {
    return exactJson(text);
  } catch {
    return undefined;
  }
}

/**
 * JSON.parse that makes no number another one: what JavaScript cannot hold beyond 2^53 (ids of 19 digits, amounts) stays its text, and
 * so does a number that is too large or too small for any. Throws a SyntaxError.
 */
export function exactJson(text: string): Json {
  const value = JSON.parse(text) as Json; // JSON.parse makes nothing but JSON values
  if (!/\d{16}|\d[eE]/u.test(text)) return value;
  const exact = text.replace(TOKEN, (token) =>
    token.startsWith('"') || isExact(token) ? token : JSON.stringify(token),
  );
  return JSON.parse(exact) as Json;
}

/** A string or a number of a JSON text. */
const TOKEN = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/gu;

/** False for a literal that stays its text: a whole number beyond 2^53, and one that becomes another number in JavaScript. */
export function isExact(literal: string): boolean {
  const isWhole = /^-?\d+(?:\.0+)?$/u.test(literal);
  return isWhole ? Number.isSafeInteger(Number(literal)) : !isRounded(literal);
}

/**
 * True for a literal that becomes another number in JavaScript: one beyond 2^53 with digits that are lost, one beyond all numbers, and
 * one that becomes 0. Of smaller numbers, places behind the point may be lost.
 */
export function isRounded(literal: string): boolean {
  const number = Number(literal);
  if (!Number.isFinite(number)) return true;
  if (number === 0) return /[1-9]/u.test(literal.replace(/e.*/iu, ''));
  return Math.abs(number) > Number.MAX_SAFE_INTEGER && decimal(literal) !== decimal(String(number));
}

/** Digits and exponent of a number: `1.50e3` and `1500` are `15e2`. */
function decimal(literal: string): string {
  const [, whole = '', fraction = '', exponent = '0'] =
    /^[-+]?(\d*)(?:\.(\d*))?(?:e([-+]?\d+))?$/iu.exec(literal) ?? [];
  const all = whole + fraction;
  const digits = all.replace(/0+$/u, '');
  return `${digits.replace(/^0+/u, '')}e${Number(exponent) - fraction.length + all.length - digits.length}`;
}

/** An object with fields: neither null nor an array. */
export function isObject(value: Json | undefined): value is JsonObject;
export function isObject(value: unknown): value is { [field: string]: unknown };
export function isObject(value: unknown): boolean {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** An object's fields; no fields for any other value. */
export function fieldsOf(value: Json | undefined): JsonObject;
export function fieldsOf(value: unknown): { [field: string]: unknown };
export function fieldsOf(value: unknown): { [field: string]: unknown } {
  return isObject(value) ? value : {};
}

/**
 * The fields of an object that has no others; none for a value that is not an object. Calls `refuse` with the names of
 * other fields.
 */
export function fieldsOnly(
  value: unknown,
  known: readonly string[],
  refuse: (problem: string) => Error,
): { [field: string]: unknown } {
  const given = fieldsOf(value);
  const unknown = Object.keys(given).filter((field) => !known.includes(field));
  if (unknown.length === 0) return given;
  throw refuse(`unknown field ${unknown.join(', ')}. Known: ${known.join(', ')}.`);
}

/** Drops fields that are null, except those of `nullable`: in many languages a field that is not set is null. */
export function withoutNulls<T>(
  value: { [field: string]: T },
  nullable: readonly string[] = [],
): { [field: string]: T } {
  const set = Object.entries(value).filter(([field, item]) => item !== null || nullable.includes(field));
  return Object.fromEntries(set);
}

/** JSON text that does not depend on the order in which an object's fields were written. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    isObject(item) ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))) : item,
  );
}

/** A person's answer to the question of a tool. */
export type AskedAnswer = { action: 'accept'; content: Json } | { action: 'decline' | 'cancel' };

/**
 * Reads an answer: `{ action: 'decline' }` and `{ action: 'cancel' }` say no; `{ action: 'accept', content }`, and any other value, is the content.
 * If the form itself has a field `action`, an object without `content` is the content.
 */
export function readAskedAnswer(schema: JsonObject | undefined, answer: Json): AskedAnswer {
  const { action, content } = fieldsOf(answer);
  const isOwnField =
    isObject(answer) && !('content' in answer) && 'action' in fieldsOf(schema?.['properties']);
  if (!isOwnField && (action === 'decline' || action === 'cancel')) return { action };
  return { action: 'accept', content: !isOwnField && action === 'accept' ? (content ?? {}) : answer };
}
