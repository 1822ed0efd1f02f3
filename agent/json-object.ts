import type { Json } from './vocabulary.ts';

/** An object with fields: neither null nor an array. */
export function isObject(value: Json | undefined): value is { [field: string]: Json };
export function isObject(value: unknown): value is { [field: string]: unknown };
export function isObject(value: unknown): boolean {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** An object's fields; none of anything else. */
export function fieldsOf(value: Json | undefined): { [field: string]: Json };
export function fieldsOf(value: unknown): { [field: string]: unknown };
export function fieldsOf(value: unknown): { [field: string]: unknown } {
  return isObject(value) ? value : {};
}

/** The fields of what has no others; none of what is no object. What else it has is quoted to `refuse`. */
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

/** JSON text that does not depend on the order in which an object's fields were written. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    isObject(item) ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))) : item,
  );
}
