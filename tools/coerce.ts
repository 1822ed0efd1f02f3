import { z } from 'zod';
import type { $ZodIssue, $ZodType, output } from 'zod/v4/core';
import type { Json } from '../agent/vocabulary.ts';

/** A value that suits two rules in turn would be changed for ever. */
const ROUNDS = 3;

/**
 * Reads what a model wrote: where the schema refuses a value that pydantic takes in its lax mode, at whatever depth, it is
 * changed as there, and asked again. Numbers may come as text or as a boolean; booleans as 1, 0, or a word for yes or no.
 */
export function coerceTo<S extends $ZodType>(schema: S, input: Json): z.ZodSafeParseResult<output<S>> {
  let candidate = input;
  let parsed = z.safeParse(schema, candidate);
  for (let round = 0; round < ROUNDS && !parsed.success; round++) {
    const mended = mend(candidate, parsed.error.issues);
    if (mended === candidate) break;
    candidate = mended;
    parsed = z.safeParse(schema, candidate);
  }
  return parsed;
}

function mend(value: Json, issues: readonly $ZodIssue[]): Json {
  return issues.reduce((mended, issue) => replace(mended, issue.path, (part) => coerced(part, issue)), value);
}

/** The same value where nothing is changed. */
function replace(value: Json, path: readonly PropertyKey[], change: (part: Json) => Json): Json {
  const [key, ...rest] = path;
  if (key === undefined) return change(value);
  if (value === null || typeof value !== 'object' || !Object.hasOwn(value, key)) return value;
  const part = Reflect.get(value, key) as Json; // JSON holds nothing else
  const changed = replace(part, rest, change);
  if (changed === part) return value;
  return Array.isArray(value)
    ? value.map((item, index) => (index === key ? changed : item))
    : { ...value, [key]: changed };
}

function coerced(value: Json, issue: $ZodIssue): Json {
  if (issue.code === 'invalid_union') {
    const branch = issue.errors.find((issues) => issues.every((each) => mend(value, [each]) !== value));
    return branch === undefined ? value : mend(value, branch);
  }
  if (issue.code !== 'invalid_type') return value;
  switch (issue.expected) {
    case 'number':
    case 'int':
      return asNumber(value) ?? value;
    case 'boolean':
      return asBoolean(value) ?? value;
    default:
      return value;
  }
}

/** Python's, with `_` between digits. One way to read each text, so that a long one takes no longer than it is. */
const NUMBER = /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+)?$/u;

function asNumber(value: Json): number | undefined {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  const number = NUMBER.test(text) ? Number(text.replaceAll('_', '')) : NaN;
  return Number.isFinite(number) ? number : undefined;
}

const YES = ['1', 'true', 't', 'yes', 'y', 'on'];
const NO = ['0', 'false', 'f', 'no', 'n', 'off'];

function asBoolean(value: Json): boolean | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const word = String(value).toLowerCase();
  return YES.includes(word) ? true : NO.includes(word) ? false : undefined;
}
