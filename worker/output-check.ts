import { z } from 'zod';
import { OutputParserError } from '../agent/kind.ts';
import type { AgentManifest, JsonSchema } from '../agent/manifest.ts';
import { invalidOutput } from '../agent/observations.ts';
import type { Json } from '../agent/vocabulary.ts';
import { ConfigError } from './config.ts';

/** An agent's `output` as it is recorded and shown to the model. Throws {@link ConfigError}. */
export function outputSchema(agent: string, output: z.ZodType): JsonSchema {
  try {
    // zod's schema is JSON by construction; the type says so only as `unknown` fields.
    return z.toJSONSchema(output, { io: 'input' }) as JsonSchema;
  } catch (error) {
    throw new ConfigError(`Agent "${agent}": its output cannot be written as JSON Schema: ${String(error)}`);
  }
}

/**
 * Checks answers against the schema a run was started with. The agent's own zod schema does it while it still says the
 * same (it may refine and transform); after a deploy that changed it, the recorded JSON Schema.
 */
export function createOutputCheck(schemaOf: (agent: string) => z.ZodType | undefined) {
  return ({ name, output: recorded }: AgentManifest, output: Json): Json => {
    if (recorded === undefined) return output;
    const own = schemaOf(name);
    const same = own !== undefined && JSON.stringify(outputSchema(name, own)) === JSON.stringify(recorded);
    return check(same ? own : z.fromJSONSchema(recorded), output);
  };
}

/** Text kinds answer with text: JSON in it is read, also inside a code fence. */
function check(schema: z.ZodType, output: Json): Json {
  const asItIs = schema.safeParse(output);
  if (asItIs.success) return toJson(asItIs.data);
  if (typeof output !== 'string') throw notFitting(z.prettifyError(asItIs.error));
  const value = parseJson(output);
  if (value === undefined) throw notFitting('it is not JSON.');
  const parsed = schema.safeParse(value);
  if (parsed.success) return toJson(parsed.data);
  throw notFitting(z.prettifyError(parsed.error));
}

function notFitting(problem: string): OutputParserError {
  return new OutputParserError(
    `The answer does not fit the agent's output schema: ${problem}`,
    invalidOutput(problem),
  );
}

function parseJson(text: string): Json | undefined {
  const inner = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?\s*```\s*$/u.exec(text)?.[1] ?? text;
  try {
    return JSON.parse(inner) as Json; // JSON.parse makes nothing but JSON values
  } catch {
    return undefined;
  }
}

/** A transform may have made something else of it. */
function toJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value ?? null)) as Json;
}
