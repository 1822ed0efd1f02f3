import { fieldsOf, isObject } from '../values/json-object.ts';
import type { JsonSchema } from '../definition/manifest.ts';
import type { Json } from '../values/vocabulary.ts';

/**
 * What keeps an input from being one of a tool, as a clause; undefined where nothing was found. It knows of a schema what
 * people get wrong (no object, a field that is missing, a value of quite another kind) and leaves the rest, with all that
 * a tool would convert, to the tool. `schema` null: the tool takes one plain string.
 */
export function misfit(schema: JsonSchema | null, input: Json): string | undefined {
  if (schema === null) return isOneString(input) ? undefined : 'the tool takes one string';
  const properties = fieldsOf(schema['properties']);
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  const given = typeof input === 'string' ? fromText(input, Object.keys(properties)[0]) : input;
  if (!isObject(given)) return `it takes an object with ${list(Object.keys(properties))}`;
  const missing = required.filter((field) => given[field] === undefined);
  if (missing.length > 0) return `${list(missing)} is missing; it takes ${list(Object.keys(properties))}`;
  for (const [field, value] of Object.entries(given)) {
    const problem = misplaced(fieldsOf(properties[field]), value);
    if (problem !== undefined) return `${field} ${problem}`;
  }
  return undefined;
}

/** The same of an answer that a person gives for an agent with an output schema: nobody makes an object of a text there. */
export function misfitOfAnswer(schema: JsonSchema, output: Json): string | undefined {
  if (schema['type'] !== 'object') return misplaced(schema, output);
  if (isObject(output)) return misfit(schema, output);
  return `it has to be an object with ${list(Object.keys(fieldsOf(schema['properties'])))}`;
}

/** A text is an object written as JSON, or what the first field gets. */
function fromText(text: string, first: string | undefined): Json {
  try {
    const parsed = JSON.parse(text) as Json; // what JSON.parse gives
    if (isObject(parsed)) return parsed;
  } catch {
    // then it is a plain text
  }
  return first === undefined ? text : { [first]: text };
}

function misplaced(schema: JsonSchema, value: Json): string | undefined {
  const { type } = schema;
  const options = Array.isArray(schema['enum']) ? schema['enum'] : undefined;
  if (options !== undefined && typeof value === 'string' && !options.includes(value)) {
    return `is none of ${options.map((option) => JSON.stringify(option)).join(', ')}`;
  }
  if (type === 'object' && typeof value === 'string') return undefined; // a tool may read JSON out of it
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
