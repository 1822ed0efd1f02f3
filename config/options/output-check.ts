import { z } from 'zod/v4';
import type { $ZodError } from 'zod/v4/core';
import { OutputParserError } from '../../agent/definition/kind.ts';
import type { AgentManifest, JsonSchema } from '../../agent/definition/manifest.ts';
import { invalidOutput } from '../../agent/observation/observations.ts';
import { exactJson, isObject } from '../../agent/values/json-object.ts';
import type { Json } from '../../agent/values/vocabulary.ts';
import { coerceTo } from '../../adapters/tools/coerce.ts';
import { type ZodSchema, forZod, jsonSchemaOf } from '../../adapters/tools/zod-schema.ts';
import { ConfigError } from '../define.ts';

/** An agent's `output` as it is recorded and shown to the model. Throws {@link ConfigError}. */
export function outputSchema(agent: string, output: ZodSchema): JsonSchema {
  try {
    return jsonSchemaOf(output);
  } catch (error) {
    throw new ConfigError(`Agent "${agent}": its output cannot be written as JSON Schema: ${String(error)}`);
  }
}

/**
 * Checks answers against the schema a run was started with. The agent's own zod schema does it while it still says the
 * same (it may refine and transform); after a deploy that changed it, the recorded JSON Schema.
 */
export function createOutputCheck(schemaOf: (agent: string) => ZodSchema | undefined) {
  return ({ name, output: recorded }: AgentManifest, output: Json): Json => {
    if (recorded === undefined) return output;
    const own = schemaOf(name);
    const same = own !== undefined && JSON.stringify(outputSchema(name, own)) === JSON.stringify(recorded);
    return check(same ? own : recordedSchema(recorded, own), output);
  };
}

/** zod reads JSON Schema since 4.2; with an older one the agent's schema of today comes nearest. */
function recordedSchema(recorded: JsonSchema, own: ZodSchema | undefined): ZodSchema {
  const { fromJSONSchema }: Partial<typeof z> = z;
  return fromJSONSchema?.(recorded) ?? own ?? z.unknown();
}

/**
 * Text kinds answer with text: JSON in it is read, also inside a code fence or between words. The prompt asks for JSON, so
 * a text in quotes is the text between them; a text that does not fit as JSON is taken unchanged.
 */
function check(schema: ZodSchema, output: Json): Json {
  const value = typeof output === 'string' ? parseJson(output) : undefined;
  const parsed = value === undefined ? undefined : fit(schema, value);
  if (parsed?.success === true) return toJson(parsed.data);
  const asItIs = typeof output === 'string' ? z.safeParse(forZod(schema), output) : fit(schema, output);
  if (asItIs.success) return toJson(asItIs.data);
  const inside = typeof output === 'string' && value === undefined ? jsonInside(output) : [];
  const tried = inside.map((found) => fit(schema, found));
  const fitting = tried.find(({ success }) => success);
  if (fitting?.success === true) return toJson(fitting.data);
  const problem = parsed?.error ?? tried[0]?.error;
  if (problem !== undefined) throw notFitting(z.prettifyError(problem));
  const isText = typeof output === 'string' && !takesText(asItIs.error);
  throw notFitting(isText ? 'it is not JSON.' : z.prettifyError(asItIs.error));
}

/** The value, or what is in the only field of it, if that field is named as an answer. */
function fit(schema: ZodSchema, value: Json): z.ZodSafeParseResult<unknown> {
  const parsed = coerceTo(schema, value);
  if (parsed.success || !isObject(value)) return parsed;
  const [field, ...others] = Object.entries(value);
  if (field === undefined || others.length > 0 || !WRAPPERS.includes(field[0].toLowerCase())) return parsed;
  const inner = coerceTo(schema, field[1]);
  return inner.success ? inner : parsed;
}

const WRAPPERS = ['output', 'answer', 'final_answer', 'result', 'response'];

/** Objects and lists in a text with other words: in its fences, and from the first bracket to the last one. */
function jsonInside(text: string): Json[] {
  const fenced = text
    .split(FENCE)
    .filter((_, index) => index % 2 === 1)
    .map((block) => block.replace(/^json\b/u, ''));
  const bracketed = BRACKETS.map(([open, close]) =>
    text.slice(text.indexOf(open), text.lastIndexOf(close) + 1),
  );
  return [...fenced, ...bracketed].flatMap((part) => {
    const read = parseJson(part);
    return typeof read === 'object' && read !== null ? [read] : [];
  });
}

const BRACKETS = [
  ['{', '}'],
  ['[', ']'],
] as const;

/** The schema expects a text, but another one. */
function takesText({ issues }: $ZodError): boolean {
  return issues.every(
    ({ code, path }) => path.length === 0 && code !== 'invalid_type' && code !== 'invalid_union',
  );
}

function notFitting(problem: string): OutputParserError {
  return new OutputParserError(
    `The answer does not fit the agent's output schema: ${problem}`,
    invalidOutput(problem),
  );
}

function parseJson(text: string): Json | undefined {
  try {
    return exactJson(withoutFence(text));
  } catch {
    return undefined;
  }
}

const FENCE = '```';

/** Text between the fences, if the text is a fenced block and nothing else. By index, since a reply may be long. */
function withoutFence(text: string): string {
  const block = text.trim();
  const firstLineEnd = block.indexOf('\n');
  const isFenced = block.startsWith(FENCE) && block.endsWith(FENCE) && firstLineEnd > 0;
  if (!isFenced) return text;
  const language = block.slice(FENCE.length, firstLineEnd).trim();
  if (language !== '' && language !== 'json') return text;
  return block.slice(firstLineEnd, block.lastIndexOf(FENCE));
}

/** A transform may have made something else of it. */
function toJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value ?? null)) as Json;
}
