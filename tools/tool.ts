import { z } from 'zod';
import type { JsonSchema } from '../agent/manifest.ts';
import type { Json } from '../agent/vocabulary.ts';

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
}

/** Thrown by a tool to tell the model at once, without a retry: the message is the observation. */
export class ToolError extends Error {
  override name = 'ToolError';
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
  return input === undefined
    ? { ...rest, inputSchema: null, parseInput: singleString(options.name) }
    : { ...rest, inputSchema: jsonSchema(options.name, input), parseInput: withSchema(options.name, input) };
}

function jsonSchema(name: string, input: z.ZodObject): JsonSchema {
  try {
    // zod's schema is JSON by construction; the type says so only as `unknown` fields.
    return z.toJSONSchema(input, { io: 'input' }) as JsonSchema;
  } catch (error) {
    throw new Error(`Tool "${name}": its input cannot be written as JSON Schema: ${String(error)}`, {
      cause: error,
    });
  }
}

function singleString(name: string): (input: Json) => string {
  return (input) => {
    if (typeof input === 'string') return input;
    const values =
      input !== null && typeof input === 'object' && !Array.isArray(input) ? Object.values(input) : [];
    const only = values.length === 1 ? values[0] : undefined;
    if (only !== undefined) return typeof only === 'string' ? only : JSON.stringify(only);
    throw new ToolInputError(`${name} takes one string, but was given ${JSON.stringify(input)}.`);
  };
}

/** A string goes to the first field of the schema, as in LangChain. */
function withSchema(name: string, schema: z.ZodObject): (input: Json) => unknown {
  const first = Object.keys(schema.shape)[0];
  return (input) => {
    const candidate = typeof input === 'string' && first !== undefined ? { [first]: input } : input;
    const parsed = schema.safeParse(candidate);
    if (parsed.success) return parsed.data;
    throw new ToolInputError(`The input of ${name} is not valid: ${z.prettifyError(parsed.error)}`);
  };
}
