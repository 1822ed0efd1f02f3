import { z } from 'zod/v4';
import type { $ZodType } from 'zod/v4/core';
import type { JsonSchema } from '../../agent/definition/manifest.ts';

/**
 * A schema of any version and copy of zod 4. Typed by its shape, because zod's own types differ from one minor version
 * to the next, and this part has been the same since 4.0 (and in the `zod/v4` inside zod 3.25).
 */
export interface ZodSchema {
  readonly _zod: { readonly output: unknown; readonly def: { readonly type: string } };
}

/** Type of `z.object({ … })`. */
export interface ZodObject {
  readonly _zod: {
    readonly output: unknown;
    readonly def: { readonly type: 'object'; readonly shape: { readonly [field: string]: unknown } };
  };
}

/** Output of a schema for an input that fits. */
export type OutputOf<S extends ZodSchema> = S['_zod']['output'];

export function isZodSchema(value: unknown): value is ZodSchema {
  return typeof value === 'object' && value !== null && '_zod' in value;
}

export function isZodObject(value: unknown): value is ZodObject {
  if (!isZodSchema(value)) return false;
  const { _zod: inside } = value;
  return inside.def.type === 'object';
}

/** zod 3 has no `_zod`, and names the class in the definition. */
export function isZod3(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('_def' in value) || '_zod' in value) return false;
  const { _def: definition } = value;
  return typeof definition === 'object' && definition !== null && 'typeName' in definition;
}

/** Error for a zod 3 schema, with the remedy. */
export const NOT_ZOD_3 = "is a zod 3 schema: import { z } from 'reloop' (or from 'zod/v4')";

/** The schema for the functions of our copy of zod, which need only its parts. */
export function forZod<S extends ZodSchema>(schema: S): $ZodType<OutputOf<S>> {
  return schema as unknown as $ZodType<OutputOf<S>>; // of another minor version perhaps; tried by check:zod
}

/**
 * JSON Schema of a schema's input: made by its own copy of zod if possible, as ours cannot read the checks of a newer
 * one. `edit` may change each part. Throws for a schema that JSON Schema cannot express.
 */
export function jsonSchemaOf(schema: ZodSchema, edit?: (part: JsonSchemaPart) => void): JsonSchema {
  const how: HowToWrite = {
    io: 'input',
    override({ zodSchema, jsonSchema }) {
      describe(jsonSchema, zodSchema);
      edit?.(jsonSchema);
    },
  };
  const written = writesItself(schema) ? schema.toJSONSchema(how) : z.toJSONSchema(forZod(schema), how);
  // The result is JSON by construction; its type has `unknown` fields.
  return written as JsonSchema;
}

export interface JsonSchemaPart {
  description?: string;
  minimum?: unknown;
  maximum?: unknown;
}

interface HowToWrite {
  io: 'input';
  override(context: { zodSchema: object; jsonSchema: JsonSchemaPart }): void;
}

/** zod 4.2 and later. */
function writesItself(schema: ZodSchema): schema is ZodSchema & { toJSONSchema(how: HowToWrite): object } {
  return 'toJSONSchema' in schema && typeof schema.toJSONSchema === 'function';
}

/** Each copy of zod before 4.1.13 keeps the texts of `describe` to itself, and only the schema can read them. */
function describe(part: JsonSchemaPart, zodSchema: object): void {
  if (part.description !== undefined || !('description' in zodSchema)) return;
  const { description } = zodSchema;
  if (typeof description === 'string') part.description = description;
}
