import { isObject, parseJson } from '../agent/values/json-object.ts';
import type { JsonSchema } from '../agent/definition/manifest.ts';
import type { Json, JsonObject } from '../agent/values/vocabulary.ts';
import { ToolInputError } from './tool.ts';

/**
 * An input as an object, for a tool that checks its fields itself. A text is taken as JSON if it holds an object, else it
 * goes to the first field that is required, or the first there is. Throws ToolInputError.
 */
export function objectInput(name: string, schema: JsonSchema, input: Json): JsonObject {
  const given = typeof input === 'string' ? fromText(schema, input) : input;
  if (isObject(given)) return given;
  throw new ToolInputError(`${name} was given ${JSON.stringify(input)}.\n${whatItTakes(name, schema)}`);
}

/** For the end of a message to the model. */
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
