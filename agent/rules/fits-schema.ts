import { exactJson, fieldsOf, isObject, readAskedAnswer } from '../values/json-object.ts';
import type { JsonSchema } from '../definition/manifest.ts';
import type { Json } from '../values/vocabulary.ts';

/**
 * Returns why an input does not fit a tool's schema, as a clause; undefined: no problem was found. Checks only common mistakes
 * (not an object, a missing field, a value of another type). The tool checks and converts the rest. `schema` null: the tool takes one
 * plain string.
 */
export function schemaProblem(schema: JsonSchema | null, input: Json): string | undefined {
  if (schema === null) return isOneString(input) ? undefined : 'the tool takes one string';
  const properties = fieldsOf(schema['properties']);
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  const given = typeof input === 'string' ? fromText(input, Object.keys(properties)[0]) : input;
  if (!isObject(given)) return `it takes an object with ${list(Object.keys(properties))}`;
  const missing = required.filter((field) => given[field] === undefined);
  if (missing.length > 0) return `${list(missing)} is missing; it takes ${list(Object.keys(properties))}`;
  for (const [field, value] of Object.entries(given)) {
    if (value === null && !required.includes(field)) continue; // the same as leaving it out
    const problem = typeProblem(fieldsOf(properties[field]), value);
    if (problem !== undefined) return `${field} ${problem}`;
  }
  return undefined;
}

/** Returns why an answer does not fit the question's schema, as a clause; undefined: no problem was found. Without a schema any answer fits. */
export function askedProblem(schema: JsonSchema | undefined, answer: Json): string | undefined {
  const read = readAskedAnswer(schema, answer);
  return schema === undefined || read.action !== 'accept' ? undefined : schemaProblem(schema, read.content);
}

/** Reads a text as a JSON object, or as the value of the first field. */
function fromText(text: string, first: string | undefined): Json {
  try {
    const parsed = exactJson(text);
    if (isObject(parsed)) return parsed;
  } catch {
    // not JSON: a plain text
  }
  return first === undefined ? text : { [first]: text };
}

function typeProblem(schema: JsonSchema, value: Json): string | undefined {
  const { type } = schema;
  const options = Array.isArray(schema['enum']) ? schema['enum'] : undefined;
  if (options !== undefined && typeof value === 'string' && !options.includes(value)) {
    return `is not one of ${options.map((option) => JSON.stringify(option)).join(', ')}`;
  }
  if (type === 'object' && typeof value === 'string') return undefined; // a tool may parse it as JSON
  if (type === 'object' && !isObject(value)) return 'has to be an object';
  if (type === 'array' && value !== null && typeof value === 'object' && !Array.isArray(value)) {
    return 'has to be a list';
  }
  const isNumber = type === 'number' || type === 'integer';
  if (isNumber && typeof value === 'string' && !isNumeric(value)) return 'has to be a number';
  const isScalar = isNumber || type === 'string' || type === 'boolean';
  if (isScalar && value !== null && typeof value === 'object') return `has to be a ${type}`;
  return undefined;
}

function isNumeric(text: string): boolean {
  return text.trim() !== '' && Number.isFinite(Number(text));
}

function isOneString(input: Json): boolean {
  return typeof input === 'string' || (isObject(input) && Object.keys(input).length === 1);
}

function list(names: readonly string[]): string {
  return names.length === 0 ? 'no fields' : names.join(', ');
}
