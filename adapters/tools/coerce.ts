import { z } from 'zod/v4';
import type { $ZodIssue } from 'zod/v4/core';
import { isObject, isRounded, parseJson } from '../../agent/values/json-object.ts';
import type { JsonSchema } from '../../agent/definition/manifest.ts';
import type { Json, JsonObject } from '../../agent/values/vocabulary.ts';
import { type OutputOf, type ZodSchema, forZod } from './zod-schema.ts';

/** A value that suits two rules in turn would be changed for ever. */
const ROUNDS = 3;

/**
 * Coerces a model's input: a value that the schema refuses, at any depth, and that pydantic's lax mode accepts is
 * converted as there, and checked again. Numbers may come as text or as a boolean; booleans as 1, 0, or a word for yes
 * or no; lists and objects as JSON text, a list of texts as one text. Beyond pydantic: an option of an enum may come in other case; null is the same as leaving a field out. A number that JavaScript
 * would round stays refused.
 */
export function coerceTo<S extends ZodSchema>(schema: S, input: Json): z.ZodSafeParseResult<OutputOf<S>> {
  return coerceAndKeep(schema, input).parsed;
}

const readSchemas = new WeakMap<JsonSchema, ZodSchema | undefined>();

/**
 * Coerces an input for a tool that checks its fields itself: only what `schema` refuses is changed, and no default is put in. The
 * input comes back unchanged if it does not fit then either, or if zod cannot read the schema (it can since 4.2).
 */
export function coerceForSchema(schema: JsonSchema, input: JsonObject): JsonObject {
  if (!readSchemas.has(schema)) readSchemas.set(schema, zodOf(schema));
  const ours = readSchemas.get(schema);
  if (ours === undefined) return input;
  try {
    const { candidate, parsed } = coerceAndKeep(ours, input);
    return parsed.success && isObject(candidate) ? candidate : input;
  } catch {
    return input; // a part of the schema that zod reads only when it is met
  }
}

/** Builds a zod schema without the rules for texts: no text is coerced by them, and a server's regular expression could run for ever. */
function zodOf(schema: JsonSchema): ZodSchema | undefined {
  const { fromJSONSchema }: Partial<typeof z> = z;
  const text = JSON.stringify(schema, (key, value: unknown) => (isTextRule(key, value) ? undefined : value));
  try {
    return fromJSONSchema?.(JSON.parse(text) as JsonSchema);
  } catch {
    return undefined;
  }
}

/** A field of these names has a schema, which is an object. */
function isTextRule(key: string, value: unknown): boolean {
  return (
    key === 'patternProperties' || ((key === 'pattern' || key === 'format') && typeof value === 'string')
  );
}

/** The result for an input, and the changed input that it is of. */
function coerceAndKeep<S extends ZodSchema>(
  schema: S,
  input: Json,
): { candidate: Json; parsed: z.ZodSafeParseResult<OutputOf<S>> } {
  const ours = forZod(schema);
  let candidate = input;
  let parsed = z.safeParse(ours, candidate);
  for (let round = 0; round < ROUNDS && !parsed.success; round++) {
    const fixed = withFixes(candidate, parsed.error.issues);
    if (fixed === candidate) break;
    candidate = fixed;
    parsed = z.safeParse(ours, candidate);
  }
  return { candidate, parsed };
}

interface Change {
  path: readonly PropertyKey[];
  /** undefined: the field is left out. */
  part: Json | undefined;
}

/** Returns the same value if nothing is changed. Copies it once, not for each change: a list may have thousands to fix. */
function withFixes(value: Json, issues: readonly $ZodIssue[]): Json {
  const changes = issues.flatMap((issue) => changeFor(value, issue));
  if (changes.length === 0) return value;
  const copy = { value: structuredClone(value) };
  for (const { path, part } of changes) put(copy, ['value', ...path], part);
  return copy.value;
}

/** Returns no change if the part is not there or cannot be fixed. */
function changeFor(value: Json, issue: $ZodIssue): Change[] {
  const part = partAt(value, issue.path);
  if (part === undefined) return [];
  if (part === null) return isField(value, issue.path) ? [{ path: issue.path, part: undefined }] : [];
  const changed = coerced(part, issue);
  return changed === part ? [] : [{ path: issue.path, part: changed }];
}

function partAt(value: Json, path: readonly PropertyKey[]): Json | undefined {
  let part = value;
  for (const key of path) {
    if (part === null || typeof part !== 'object' || !Object.hasOwn(part, key)) return undefined;
    part = Reflect.get(part, key) as Json; // JSON holds nothing else
  }
  return part;
}

function put(root: { [key: string]: Json }, path: readonly PropertyKey[], part: Json | undefined): void {
  const holder = partAt(root, path.slice(0, -1));
  const key = path.at(-1);
  if (holder === null || typeof holder !== 'object' || key === undefined) return;
  if (part === undefined) {
    Reflect.deleteProperty(holder, key);
    return;
  }
  // No assignment, since a key may be called __proto__.
  Object.defineProperty(holder, key, { value: part, enumerable: true, writable: true, configurable: true });
}

/** True for a field of an object: an item of a list cannot be left out. */
function isField(value: Json, path: readonly PropertyKey[]): boolean {
  return path.length > 0 && isObject(partAt(value, path.slice(0, -1)));
}

function coerced(value: Json, issue: $ZodIssue): Json {
  if (issue.code === 'invalid_union') {
    const branch = issue.errors.find((issues) => issues.every((each) => changeFor(value, each).length > 0));
    return branch === undefined ? value : withFixes(value, branch);
  }
  if (issue.code === 'invalid_value') return asOption(value, issue.values) ?? value;
  if (issue.code !== 'invalid_type') return value;
  switch (issue.expected) {
    case 'number':
    case 'int':
      return asNumber(value) ?? value;
    case 'boolean':
      return asBoolean(value) ?? value;
    case 'object':
    case 'record':
      return asObject(value) ?? value;
    case 'array':
    case 'tuple':
      return asList(value) ?? value;
    default:
      return value;
  }
}

/** The only option that is the text in other case, or with blanks around it. */
function asOption(value: Json, options: readonly unknown[]): Json | undefined {
  if (typeof value !== 'string') return undefined;
  const word = value.trim().toLowerCase();
  const meant = options.filter((option) => typeof option === 'string' && option.toLowerCase() === word);
  return meant.length === 1 ? String(meant[0]) : undefined;
}

function asObject(value: Json): Json | undefined {
  const read = typeof value === 'string' ? parseJson(value) : undefined;
  return isObject(read) ? read : undefined;
}

/** A text that is not a list is its only item. */
function asList(value: Json): Json[] | undefined {
  if (typeof value !== 'string') return undefined;
  const read = parseJson(value);
  return Array.isArray(read) ? read : [value];
}

/** Python's, with `_` between digits. One way to read each text, so that a long one takes no longer than it is. */
const NUMBER = /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+)?$/u;

function asNumber(value: Json): number | undefined {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  const digits = text.replaceAll('_', '');
  return NUMBER.test(text) && !isRounded(digits) ? Number(digits) : undefined;
}

const YES = ['1', 'true', 't', 'yes', 'y', 'on'];
const NO = ['0', 'false', 'f', 'no', 'n', 'off'];

function asBoolean(value: Json): boolean | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const word = String(value).toLowerCase();
  return YES.includes(word) ? true : NO.includes(word) ? false : undefined;
}
