import { canonicalJson, fieldsOf, isObject } from '../values/json-object.ts';
import type { JsonSchema } from './manifest.ts';
import type { Json } from '../values/vocabulary.ts';

/**
 * Returns why a value does not fit a JSON Schema, as a clause; undefined: it fits. Nothing is converted: a text is not a number. Keywords
 * that zod's JSON Schema does not have, and formats, are not checked.
 */
export function strictProblem(schema: JsonSchema, value: Json): string | undefined {
  return problemAt(schema, value, { root: schema, path: '', depth: 0 });
}

interface CheckedValue {
  root: JsonSchema;
  /** Path of the value, as people write it: `items[2].price`. */
  path: string;
  depth: number;
}

/** References to references, and schemas in schemas, that are followed. */
const MOST_DEPTH = 100;

function problemAt(given: unknown, value: Json, checked: CheckedValue): string | undefined {
  if (given === false) return `${nameOf(checked)} is not allowed`;
  if (!isObject(given) || checked.depth > MOST_DEPTH) return undefined;
  const schema = given as JsonSchema; // a part of one
  const deeper = { ...checked, depth: checked.depth + 1 };
  const ref = schema['$ref'];
  if (typeof ref === 'string') {
    const problem = problemAt(referred(checked.root, ref), value, deeper);
    if (problem !== undefined) return problem;
  }
  return (
    typeProblem(schema, value, checked) ??
    choiceProblem(schema, value, deeper) ??
    boundProblem(schema, value, checked) ??
    (isObject(value) ? fieldsProblem(schema, value, deeper) : undefined) ??
    (Array.isArray(value) ? itemsProblem(schema, value, deeper) : undefined)
  );
}

function referred(root: JsonSchema, ref: string): unknown {
  if (!ref.startsWith('#')) return undefined;
  const path = ref.slice(1).split('/').slice(1);
  return path.reduce<unknown>(
    (at, part) => fieldsOf(at)[decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')],
    root,
  );
}

function typeProblem(schema: JsonSchema, value: Json, checked: CheckedValue): string | undefined {
  const types = [schema['type'] ?? []].flat().map(String);
  if (types.length === 0 || types.some((type) => isOfType(type, value))) return undefined;
  const words = types.map((type) => TYPE_WORDS[type] ?? type);
  return `${nameOf(checked)} has to be ${words.join(' or ')}`;
}

const TYPE_WORDS: { readonly [type: string]: string } = {
  object: 'an object',
  array: 'a list',
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
};

function isOfType(type: string, value: Json): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  return typeof value === type;
}

/** Checks `enum`, `const`, `anyOf`, `oneOf` and `allOf`. */
function choiceProblem(schema: JsonSchema, value: Json, checked: CheckedValue): string | undefined {
  const { enum: options, const: only, anyOf, oneOf, allOf } = schema;
  const allowed = Array.isArray(options) ? options : only === undefined ? undefined : [only];
  if (allowed?.some((one) => canonicalJson(one) === canonicalJson(value)) === false) {
    return `${nameOf(checked)} has to be ${allowed.map((one) => JSON.stringify(one)).join(' or ')}`;
  }
  for (const choices of [anyOf, oneOf]) {
    if (!Array.isArray(choices)) continue;
    const problems = choices.map((choice) => problemAt(choice, value, checked));
    if (problems.every((problem) => problem !== undefined)) return problems.join(', or ');
  }
  return Array.isArray(allOf) ? first(allOf.map((part) => problemAt(part, value, checked))) : undefined;
}

/** Checks lengths, ranges and patterns. */
function boundProblem(schema: JsonSchema, value: Json, checked: CheckedValue): string | undefined {
  const bound = (keyword: string) => (typeof schema[keyword] === 'number' ? schema[keyword] : undefined);
  const name = nameOf(checked);
  const within = (size: number, [least, most]: readonly [string, string], what: string) => {
    const [low = -Infinity, high = Infinity] = [bound(least), bound(most)];
    if (size < low) return `${name} has to ${what === '' ? 'be' : 'have'} at least ${low}${what}`;
    return size > high ? `${name} has to ${what === '' ? 'be' : 'have'} at most ${high}${what}` : undefined;
  };
  if (typeof value === 'number') {
    const [above = -Infinity, below = Infinity] = [bound('exclusiveMinimum'), bound('exclusiveMaximum')];
    if (value <= above) return `${name} has to be more than ${above}`;
    if (value >= below) return `${name} has to be less than ${below}`;
    return within(value, ['minimum', 'maximum'], '');
  }
  if (Array.isArray(value)) return within(value.length, ['minItems', 'maxItems'], ' items');
  if (typeof value !== 'string') return undefined;
  const { pattern } = schema;
  if (typeof pattern === 'string' && matches(pattern, value) === false)
    return `${name} has to match ${pattern}`;
  return within(Array.from(value).length, ['minLength', 'maxLength'], ' characters');
}

/** undefined: the pattern is not one of JavaScript. */
function matches(pattern: string, text: string): boolean | undefined {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return undefined;
  }
}

function fieldsProblem(
  schema: JsonSchema,
  value: { [field: string]: Json },
  checked: CheckedValue,
): string | undefined {
  const properties = fieldsOf(schema['properties']);
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  const missing = required.filter((field) => !Object.hasOwn(value, field));
  if (missing.length > 0) {
    const known = Object.keys(properties).join(', ');
    return `${missing.map((field) => nameOf(inField(checked, field))).join(', ')} is missing; it takes ${known}`;
  }
  const others = schema['additionalProperties'];
  return first(
    Object.entries(value).map(([field, one]) => {
      const of = Object.hasOwn(properties, field) ? properties[field] : others;
      return problemAt(of, one, inField(checked, field));
    }),
  );
}

function itemsProblem(schema: JsonSchema, value: readonly Json[], checked: CheckedValue): string | undefined {
  const heads = Array.isArray(schema['prefixItems']) ? schema['prefixItems'] : [];
  return first(
    value.map((one, index) =>
      problemAt(heads[index] ?? schema['items'], one, { ...checked, path: `${checked.path}[${index}]` }),
    ),
  );
}

const first = (problems: readonly (string | undefined)[]) =>
  problems.find((problem) => problem !== undefined);
const inField = (checked: CheckedValue, field: string): CheckedValue => ({
  ...checked,
  path: checked.path === '' ? field : `${checked.path}.${field}`,
});
const nameOf = ({ path }: CheckedValue): string => (path === '' ? 'it' : path);
