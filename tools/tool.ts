import { z } from 'zod';
import type { JsonSchema } from '../agent/manifest.ts';
import type { Json } from '../agent/vocabulary.ts';
import { coerceTo } from './coerce.ts';

/** An earlier call of the same tool in this run, oldest first. */
export interface EarlierCall {
  call: string;
  toolInput: Json;
  output: Json;
}

/** What a tool is given beside its input. Tools know nothing of Temporal: a test passes a plain object. */
export interface ToolContext {
  /** Aborted when the call is cancelled or its time is over. */
  signal: AbortSignal;
  /** Says how far it is; shown live, never stored in the transcript. */
  progress(text: string): void;
  /** Stores a JSON value that survives crash and re-schedule; resolves when it is stored. */
  checkpoint(value: Json): Promise<void>;
  /** The last stored checkpoint of this call, or undefined. */
  lastCheckpoint: Json | undefined;
  /** Same over retries and crashes of this call; new when its input changes. */
  idempotencyKey: string;
  /** Calls of this tool that ended before this one, oldest first. Read from history: costs a few milliseconds. */
  earlierCalls(): Promise<EarlierCall[]>;
  /** Asks the agent's model; its usage counts. */
  complete(prompt: string): Promise<string>;
  /** 1 for the first try. */
  attempt: number;
  /** `3.1`: third iteration, first call. */
  callId: string;
  /** Stays the same over continue-as-new. */
  runId: string;
  log: { info(text: string): void; warn(text: string): void };
}

/** Waits are milliseconds or Temporal duration strings ('30s'). */
export interface ToolRetry {
  maxAttempts?: number;
  initialInterval?: number | string;
  backoffCoefficient?: number;
  maximumInterval?: number | string;
}

export interface ToolOptions {
  name: string;
  description: string;
  /** Time for one attempt. Default 5 minutes. */
  timeout?: number | string;
  /** Default 3 attempts, 1 s apart, doubling, at most 30 s. */
  retry?: ToolRetry;
  /** What a repeated run of one call would do. Default 'idempotent'. */
  effects?: 'none' | 'idempotent' | 'once';
  /** Whether a person is asked before the tool runs. */
  approval?: 'never';
  /** When the attempts are used up: wait for a person (default), tell the model, or fail the run. */
  onFailure?: 'ask' | 'observe' | 'fail';
  /** The observation is the run's output. */
  returnDirect?: boolean;
  /** Longer output is cut, with a visible marker. Default 100,000 characters. */
  maxOutputChars?: number;
}

/** A tool as agents list it. Made by {@link defineTool}. */
export interface Tool extends ToolOptions {
  /** null: one plain string. */
  inputSchema: JsonSchema | null;
  /** Checks and coerces an input. Throws ToolInputError with a sentence for the model. */
  parseInput(input: Json): unknown;
  run(input: never, context: ToolContext): unknown;
  /** Not run here but elsewhere: by another worker's activity, or as a run of another agent. Made by the tools that do so. */
  remote?: RemoteTool;
}

export type RemoteTool =
  | { type: 'activity'; taskQueue?: string; heartbeatTimeout?: number | string }
  | { type: 'agent'; agent: string };

/** Thrown by a tool to tell the model at once, without a retry: the message is the observation. */
export class ToolError extends Error {
  override name = 'ToolError';

  constructor(message = 'Tool execution error', options?: ErrorOptions) {
    super(message, options);
  }
}

/** An input that does not fit the tool: told to the model, and the tool is not run. */
export class ToolInputError extends Error {
  override name = 'ToolInputError';
}

/** A tool with one plain string as input. */
export function defineTool(
  options: ToolOptions & { input?: undefined; run(input: string, context: ToolContext): unknown },
): Tool;
/** A tool whose input is checked and coerced by a zod object. */
export function defineTool<S extends z.ZodObject>(
  options: ToolOptions & { input: S; run(input: z.output<S>, context: ToolContext): unknown },
): Tool;
export function defineTool(
  options: ToolOptions & {
    input?: z.ZodObject | undefined;
    run(input: never, context: ToolContext): unknown;
  },
): Tool {
  const { input, ...rest } = options;
  if (input === undefined) return { ...rest, inputSchema: null, parseInput: singleString(options.name) };
  const inputSchema = jsonSchema(options.name, input);
  return { ...rest, inputSchema, parseInput: withSchema(options.name, input, inputSchema) };
}

function jsonSchema(name: string, input: z.ZodObject): JsonSchema {
  try {
    // Which draft it is costs tokens, and some providers refuse to hear it.
    const { $schema: _draft, ...schema } = z.toJSONSchema(input, { io: 'input', override: withoutNoise });
    // zod's schema is JSON by construction; the type says so only as `unknown` fields.
    return schema as JsonSchema;
  } catch (error) {
    throw new Error(`Tool "${name}": its input cannot be written as JSON Schema: ${String(error)}`, {
      cause: error,
    });
  }
}

/** Every whole number is a safe one in zod; models need not be told. */
function withoutNoise(context: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  const { minimum, maximum } = context.jsonSchema;
  if (minimum === Number.MIN_SAFE_INTEGER) delete context.jsonSchema.minimum;
  if (maximum === Number.MAX_SAFE_INTEGER) delete context.jsonSchema.maximum;
}

function singleString(name: string): (input: Json) => string {
  return (input) => {
    if (typeof input === 'string') return input;
    const values = isObject(input) ? Object.values(input) : [];
    const only = values.length === 1 ? values[0] : undefined;
    if (only !== undefined) return typeof only === 'string' ? only : JSON.stringify(only);
    throw new ToolInputError(`${name} takes one string, but was given ${JSON.stringify(input)}.`);
  };
}

/** As in LangChain: a string goes to the first field of the schema, and where there is no field any input will do. */
function withSchema(name: string, schema: z.ZodObject, takes: JsonSchema): (input: Json) => unknown {
  const [first] = Object.keys(schema.shape);
  return (input) => {
    const given = typeof input === 'string' && first !== undefined ? { [first]: input } : input;
    const parsed = coerceTo(schema, first === undefined && !isObject(given) ? {} : given);
    if (parsed.success) return parsed.data;
    throw new ToolInputError(
      `The input of ${name} is not valid: ${z.prettifyError(parsed.error)}\n${name} takes a JSON object of this schema: ${JSON.stringify(takes)}`,
    );
  };
}

function isObject(value: Json): value is { [key: string]: Json } {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
