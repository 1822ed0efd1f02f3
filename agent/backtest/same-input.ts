import type { JsonSchema } from '../definition/manifest.ts';
import { fieldsOf, isObject, parseJson } from '../values/json-object.ts';
import type { Json, JsonObject } from '../values/vocabulary.ts';

/** Schemas of tools' inputs, by the tool's name; null: the tool takes one plain string. */
export type InputSchemas = ReadonlyMap<string, JsonSchema | null>;

/**
 * One form for all inputs that a tool takes as the same: a number as text is the number, a list or an object as JSON text is what the
 * text holds, and null for an optional field or a default written out is a field left out.
 */
export function inputInOneForm(input: Json, schema: JsonSchema | null | undefined): Json {
  return schema === null || schema === undefined ? input : inOneForm(input, schema);
}

function inOneForm(value: Json, schema: JsonSchema): Json {
  const { type } = schema;
  if (typeof value === 'string') {
    const read = type === 'string' ? undefined : parseJson(value);
    if (typeof read === 'number') return isNumber(type) ? read : value;
    if (Array.isArray(read) && type === 'array') return inOneForm(read, schema);
    if (isObject(read) && type === 'object') return inOneForm(read, schema);
    return value;
  }
  if (Array.isArray(value)) return value.map((item) => inOneForm(item, fieldsOf(schema['items'])));
  return isObject(value) ? objectInOneForm(value, schema) : value;
}

function objectInOneForm(object: JsonObject, schema: JsonSchema): JsonObject {
  const properties = fieldsOf(schema['properties']);
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const fields = Object.entries(object).map(
    ([name, value]) => [name, inOneForm(value, fieldsOf(properties[name]))] as const,
  );
  const said = fields.filter(([name, value]) => {
    const { default: usual } = fieldsOf(properties[name]);
    if (value === null && usual !== null) return required.includes(name) || properties[name] === undefined;
    return usual === undefined || JSON.stringify(value) !== JSON.stringify(usual);
  });
  return Object.fromEntries(said);
}

function isNumber(type: Json | undefined): boolean {
  return type === 'number' || type === 'integer';
}
