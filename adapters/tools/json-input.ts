import { fieldsOf, isExact, isObject, parseJson } from '../../agent/values/json-object.ts';
import type { JsonSchema } from '../../agent/definition/manifest.ts';
import type { Json, JsonObject } from '../../agent/values/vocabulary.ts';
import { coerceForSchema } from './coerce.ts';
import { ToolInputError } from './tool.ts';

/**
 * An input as an object, for a tool that checks its fields itself. A text that is a JSON object is read as one. Any other
 * text goes to the first required field, or to the first field. Fields are coerced as those of a zod tool. Throws ToolInputError.
 */
export function objectInput(name: string, schema: JsonSchema, input: Json): JsonObject {
  const given = typeof input === 'string' ? fromText(schema, input) : input;
  if (isObject(given)) {
    const coerced = coerceForSchema(schema, given);
    checkNumbers(name, schema, coerced);
    return coerced;
  }
  throw new ToolInputError(`${name} was given ${JSON.stringify(input)}.\n${whatItTakes(name, schema)}`);
}

/** A number as JSON has it. */
const LITERAL = /^-?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/iu;

/**
 * Throws for a number that JavaScript cannot hold, which stayed a text, where the schema wants a number: the tool would be sent
 * another number, or a text.
 */
function checkNumbers(name: string, schema: JsonSchema, given: Json): void {
  if (Array.isArray(given))
    return given.forEach((item) => checkNumbers(name, fieldsOf(schema['items']), item));
  if (isObject(given)) {
    const fields = fieldsOf(schema['properties']);
    return Object.entries(given).forEach(([field, item]) =>
      checkNumbers(name, fieldsOf(fields[field]), item),
    );
  }
  const types = [schema['type'] ?? []].flat();
  const isNumber = types.some((type) => type === 'number' || type === 'integer') && !types.includes('string');
  if (!isNumber || typeof given !== 'string' || !LITERAL.test(given) || isExact(given)) return;
  throw new ToolInputError(`${name} was given ${given}, a number that cannot be passed on exactly.`);
}

/** Schema of a tool's input, for the end of a message to the model. */
export function whatItTakes(name: string, schema: JsonSchema): string {
  return `${name} takes a JSON object of this schema: ${JSON.stringify(schema)}`;
}

function fromText(schema: JsonSchema, text: string): JsonObject {
  const whole = parseJson(text);
  if (isObject(whole)) return whole;
  const fields = isObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const names = Object.keys(fields);
  const field = names.find((name) => required.includes(name)) ?? names[0];
  // A tool without fields is called with nothing, whatever the model wrote for it.
  return field === undefined ? {} : { [field]: valueFor(fields[field], text, whole) };
}

/** JSON where the field wants something other than a text, so that `5` is a number. */
function valueFor(field: Json | undefined, text: string, whole: Json | undefined): Json {
  const type = isObject(field) ? field['type'] : undefined;
  const takesText = type === undefined || [type].flat().includes('string');
  return takesText ? text : (whole ?? text);
}
