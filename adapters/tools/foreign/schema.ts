import { createRequire } from 'node:module';
import { z } from 'zod/v4';
import type { JsonSchema } from '../../../agent/definition/manifest.ts';
import type { Json } from '../../../agent/values/vocabulary.ts';
import { requirePackage } from '../optional-package.ts';
import { whatItTakes } from '../json-input.ts';
import { ToolInputError } from '../tool.ts';
import { isZod3, isZodSchema, jsonSchemaOf } from '../zod-schema.ts';

/** The schema of a tool that was made for another library. */
export interface ForeignSchema {
  json: JsonSchema;
  /** The input as the schema makes it. Throws ToolInputError. */
  check(input: Json): Promise<unknown>;
}

/**
 * Knows a schema by its shape, because it comes from another package: zod 4, zod 3, the AI SDK's jsonSchema(), Standard
 * JSON Schema, JSON Schema itself. The last has no check: the tool has its own. Throws for anything else.
 */
export function foreignSchema(tool: string, schema: unknown): ForeignSchema {
  if (isZod3(shapeOf(schema)))
    requirePackage('zod-to-json-schema', `Tool "${tool}": its schema is zod 3's, and`);
  const found = read(tool, schema);
  if (found === undefined) {
    throw new Error(`Tool "${tool}": its schema is neither zod's nor JSON Schema. Give it z.object({ … }).`);
  }
  if (!isObjectSchema(found.json)) {
    throw new Error(`Tool "${tool}": its schema is not one of an object. Give it z.object({ … }).`);
  }
  const { $schema: _draft, ...json } = found.json;
  return {
    json,
    async check(input) {
      const checked = await found.validate(input);
      if (checked.ok) return checked.value;
      throw new ToolInputError(
        `The input of ${tool} is not valid: ${checked.problem}\n${whatItTakes(tool, json)}`,
      );
    },
  };
}

function read(tool: string, schema: unknown): Reader | undefined {
  try {
    const shape = shapeOf(schema);
    return zod4(shape) ?? zod3(shape) ?? aiSdk(shape) ?? standard(shape) ?? plain(shape);
  } catch (error) {
    throw new Error(`Tool "${tool}": its schema cannot be written as JSON Schema: ${String(error)}`, {
      cause: error,
    });
  }
}

interface Reader {
  json: unknown;
  validate(input: Json): Promise<Checked> | Checked;
}

type Checked = { ok: true; value: unknown } | { ok: false; problem: string };

/** The little that schemas of several packages have in common. */
interface Shape {
  safeParseAsync?(input: unknown): Promise<{ success: boolean; data?: unknown; error?: z.ZodError }>;
  jsonSchema?: unknown;
  validate?(input: unknown): Promise<Validated> | Validated;
  '~standard'?: {
    validate(input: unknown): Promise<StandardResult> | StandardResult;
    jsonSchema?: { input(options: { target: string }): unknown };
  };
  type?: unknown;
  properties?: unknown;
}

type Validated = { success: true; value: unknown } | { success: false; error: Error };
type StandardResult = { value: unknown; issues?: undefined } | { issues: readonly { message: string }[] };

function zod4(shape: Shape): Reader | undefined {
  if (!isZodSchema(shape)) return undefined;
  return { json: jsonSchemaOf(shape), validate: withZod(shape) };
}

function zod3(shape: Shape): Reader | undefined {
  if (!isZod3(shape)) return undefined;
  // Loaded only when needed.
  const { zodToJsonSchema } = createRequire(import.meta.url)('zod-to-json-schema') as {
    zodToJsonSchema(schema: unknown, options: { $refStrategy: 'none' }): unknown;
  };
  return { json: zodToJsonSchema(shape, { $refStrategy: 'none' }), validate: withZod(shape) };
}

function withZod(shape: Shape): Reader['validate'] {
  return async (input) => {
    const { success = true, data = input, error } = (await shape.safeParseAsync?.(input)) ?? {};
    return success
      ? { ok: true, value: data }
      : { ok: false, problem: error === undefined ? '' : z.prettifyError(error) };
  };
}

function aiSdk({ jsonSchema: json, validate }: Shape): Reader | undefined {
  if (json === undefined || json === null) return undefined;
  return {
    json,
    async validate(input) {
      const result = (await validate?.(input)) ?? { success: true, value: input };
      return result.success
        ? { ok: true, value: result.value }
        : { ok: false, problem: result.error.message };
    },
  };
}

function standard({ '~standard': own }: Shape): Reader | undefined {
  if (own?.jsonSchema === undefined) return undefined;
  return {
    json: own.jsonSchema.input({ target: 'draft-2020-12' }),
    async validate(input) {
      const result = await own.validate(input);
      return result.issues === undefined
        ? { ok: true, value: result.value }
        : { ok: false, problem: result.issues.map(({ message }) => message).join('; ') };
    },
  };
}

function plain(shape: Shape): Reader | undefined {
  const known = typeof shape.type === 'string' || typeof shape.properties === 'object';
  return known ? { json: shape, validate: (value) => ({ ok: true, value }) } : undefined;
}

function isObjectSchema(json: unknown): json is JsonSchema {
  const { type, properties } = shapeOf(json);
  return type === 'object' || (type === undefined && typeof properties === 'object');
}

/** The AI SDK takes a function that makes the schema, too; a schema of ArkType is a function itself. */
function shapeOf(schema: unknown): Shape {
  const value = isMaker(schema) ? schema() : schema;
  return (typeof value === 'object' && value !== null) || typeof value === 'function' ? value : {};
}

function isMaker(schema: unknown): schema is () => unknown {
  return typeof schema === 'function' && !('~standard' in schema);
}
