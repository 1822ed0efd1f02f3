import { canonicalJson, fieldsOf } from '../values/json-object.ts';
import type { JsonSchema } from '../definition/manifest.ts';
import { schemaProblem } from './fits-schema.ts';

/**
 * Returns why an input that fits `before` may not fit `after`, as a clause; undefined: no reason was found. A model that knows the
 * schema `before` may give such inputs later. null: one plain string. Compares fields, types, enums, limits and what is required, at every
 * depth; of combinations such as `anyOf`, only whether they are equal.
 */
export function narrowing(before: JsonSchema | null, after: JsonSchema | null): string | undefined {
  if (after === null) {
    const isText = before === null || Object.keys(fieldsOf(before['properties'])).length === 1;
    return isText ? undefined : 'takes one string';
  }
  if (before === null) {
    const problem = schemaProblem(after, 'text');
    return problem === undefined ? undefined : `takes no plain string: ${problem}`;
  }
  return narrowed('', before, after);
}

function narrowed(path: string, before: JsonSchema, after: JsonSchema): string | undefined {
  const where = path === '' ? 'its input' : path;
  if (canonicalJson(before) === canonicalJson(after)) return undefined;
  const combined = COMBINATIONS.find(
    (word) => canonicalJson(before[word] ?? null) !== canonicalJson(after[word] ?? null),
  );
  if (combined !== undefined)
    return `has another \`${combined}\` for ${where}, which may not take the same inputs`;
  return (
    typeNarrowed(where, before, after) ??
    valuesNarrowed(where, before, after) ??
    limitsNarrowed(where, before, after) ??
    fieldsNarrowed(path, before, after) ??
    itemsNarrowed(path, before, after)
  );
}

const COMBINATIONS = ['anyOf', 'oneOf', 'allOf', 'not', '$ref', '$defs', 'definitions', 'if', 'then', 'else'];

function typeNarrowed(where: string, before: JsonSchema, after: JsonSchema): string | undefined {
  const taken = typesOf(after);
  if (taken === undefined) return undefined;
  const takes = (type: string) => taken.includes(type) || (type === 'integer' && taken.includes('number'));
  const lost = typesOf(before)?.filter((type) => !takes(type));
  if (lost?.length === 0) return undefined;
  return `takes ${where} as ${taken.join(' or ')}, and no more as ${lost?.join(' or ') ?? 'anything'}`;
}

function typesOf({ type }: JsonSchema): string[] | undefined {
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.map(String) : undefined;
}

function valuesNarrowed(where: string, before: JsonSchema, after: JsonSchema): string | undefined {
  const [given, taken] = [valuesOf(before), valuesOf(after)];
  if (taken === undefined) return undefined;
  if (given === undefined) return `takes only ${taken.join(', ')} for ${where}`;
  const lost = given.filter((value) => !taken.includes(value));
  return lost.length === 0 ? undefined : `takes ${lost.join(', ')} no more for ${where}`;
}

function valuesOf(schema: JsonSchema): string[] | undefined {
  const values = Array.isArray(schema['enum']) ? schema['enum'] : [schema['const']];
  return values[0] === undefined ? undefined : values.map((value) => JSON.stringify(value));
}

const MINIMA = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
const MAXIMA = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
const PATTERNS = ['pattern', 'format', 'multipleOf', 'uniqueItems', 'propertyNames'];

function limitsNarrowed(where: string, before: JsonSchema, after: JsonSchema): string | undefined {
  const limit = (schema: JsonSchema, word: string, none: number) =>
    typeof schema[word] === 'number' ? schema[word] : none;
  const narrower =
    MINIMA.find((word) => limit(after, word, -Infinity) > limit(before, word, -Infinity)) ??
    MAXIMA.find((word) => limit(after, word, Infinity) < limit(before, word, Infinity)) ??
    PATTERNS.find(
      (word) =>
        after[word] !== undefined && canonicalJson(after[word]) !== canonicalJson(before[word] ?? null),
    );
  if (narrower === undefined) return undefined;
  return `has the \`${narrower}\` ${JSON.stringify(after[narrower])} for ${where}`;
}

function fieldsNarrowed(path: string, before: JsonSchema, after: JsonSchema): string | undefined {
  const [known, taken] = [fieldsOf(before['properties']), fieldsOf(after['properties'])];
  const needed = requiredOf(after).find((field) => !requiredOf(before).includes(field));
  if (needed !== undefined) return `needs ${within(path, needed)}`;
  for (const [field, schema] of Object.entries(known)) {
    const other = taken[field];
    if (other === undefined) {
      if (after['additionalProperties'] === false) return `takes ${within(path, field)} no more`;
      continue;
    }
    const problem = narrowed(within(path, field), fieldsOf(schema), fieldsOf(other));
    if (problem !== undefined) return problem;
  }
  const isClosed = after['additionalProperties'] === false && before['additionalProperties'] !== false;
  return isClosed && Object.keys(known).length === 0
    ? `takes no fields of ${path === '' ? 'its input' : path}`
    : undefined;
}

function itemsNarrowed(path: string, before: JsonSchema, after: JsonSchema): string | undefined {
  if (after['items'] === undefined) return undefined;
  return narrowed(`${path}[]`, fieldsOf(before['items']), fieldsOf(after['items']));
}

const requiredOf = ({ required }: JsonSchema): string[] =>
  Array.isArray(required) ? required.map(String) : [];

const within = (path: string, field: string) => (path === '' ? field : `${path}.${field}`);
