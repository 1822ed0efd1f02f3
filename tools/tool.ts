import { isObject } from '../agent/json-object.ts';
import { z } from 'zod/v4';
import type { JsonSchema, Options, ToolRules } from '../agent/manifest.ts';
import type { Json } from '../agent/vocabulary.ts';
import { coerceTo } from './coerce.ts';
import {
  type JsonSchemaPart,
  NOT_ZOD_3,
  type OutputOf,
  type ZodObject,
  isZod3,
  isZodObject,
  jsonSchemaOf,
} from './zod-schema.ts';

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
  /**
   * Right before the effect, in a tool of `effects: 'once'`: resolves when this attempt may still take effect, and throws when
   * the call was cancelled, timed out or given to somebody else. Then nothing has been done, which Reloop takes from here.
   */
  commit(): Promise<void>;
  /**
   * Leaves the result to somebody outside: when `run` has returned, the call waits, as `deferred`, until it is resolved, over
   * any number of restarts. What `run` returns is shown to who is asked. The token is for a caller who does not know the
   * run: `client.resolve(token, output)`.
   */
  defer(): { token: string };
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
  maxAttempts?: number | undefined;
  initialInterval?: number | string | undefined;
  backoffCoefficient?: number | undefined;
  maximumInterval?: number | string | undefined;
}

/** What decides whether a person has to allow a call. */
export type Approval<Input = never> =
  | 'always'
  | 'never'
  /** true: a person is asked. What it throws is shown to them. Looked at once for each call, by the worker, and recorded. */
  | ApprovalFunction<Input>['check'];

/** As a method, so that a list of tools of any input can hold it. */
interface ApprovalFunction<Input> {
  check(input: Input, context: ApprovalContext): boolean | Promise<boolean>;
}

export interface ApprovalContext {
  agent: string;
  /** The workflow id. */
  runId: string;
  /** `3.1`: third iteration, first call. */
  callId: string;
}

/** How long a person is waited for, and what then: the model is told ('observe', the default), or the run fails. */
export type AskTimeoutOption =
  number | string | { after: number | string; unanswered?: 'observe' | 'fail' | undefined };

export interface ToolOptions extends Options<ToolRules> {
  name: string;
  description: string;
  /** Time for one attempt. Default 5 minutes. */
  timeout?: number | string | undefined;
  /** Default 3 attempts, 1 s apart, doubling, at most 30 s. */
  retry?: ToolRetry | undefined;
  /** Whether a person has to allow each call before it runs. Default 'never'. */
  approval?: Approval | undefined;
  /**
   * For a tool of `effects: 'none'` that takes milliseconds: a call's first attempt is made with the model call that decided on it, in
   * its activity. One that fails, takes longer than a second, or asks for more than its input, key and signal becomes an
   * activity, as any other call, and is run again. Default: false; true for the calculator.
   */
  inline?: boolean | undefined;
  /** How long a call may wait for a person. Default: the agent's, which is as long as it takes. */
  askTimeout?: AskTimeoutOption | undefined;
}

/** A tool. Made by {@link defineTool}; agents list tools of any input, which is what `Tool` alone means. */
export interface Tool<Input = never, Output = unknown> extends ToolOptions {
  /** null: one plain string. */
  inputSchema: JsonSchema | null;
  /** Checks and coerces an input. Throws ToolInputError with a sentence for the model. */
  parseInput(input: Json): unknown;
  run(input: Input, context: ToolContext): Output;
  reconcile?: Reconcile<Input> | undefined;
  /** Not run here but elsewhere: by another worker's activity, or as a run of another agent. Made by the tools that do so. */
  remote?: RemoteTool | undefined;
}

/**
 * Of a tool of `effects: 'once'`: looks where its effect would show, and says whether a call that was lost in the middle has
 * taken effect. The context is that of the call, with its idempotency key. Run when the lost attempt must have ended.
 */
export type Reconcile<Input = never> = (
  input: Input,
  context: ToolContext,
) => Reconciled | Promise<Reconciled>;

/** `done`, with what the tool would have returned; not done, so that it may run; or nobody knows. */
export type Reconciled = { status: 'done'; output: unknown } | { status: 'notDone' } | { status: 'unknown' };

export type RemoteTool =
  | {
      type: 'activity';
      taskQueue?: string | undefined;
      heartbeatTimeout?: number | string | undefined;
    }
  | { type: 'agent'; agent: string }
  | { type: 'human' };

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
export function defineTool<Output>(
  options: Omit<ToolOptions, 'approval'> & {
    input?: undefined;
    approval?: Approval<string> | undefined;
    run(input: string, context: ToolContext): Output;
    reconcile?: Reconcile<string> | undefined;
  },
): Tool<string, Output>;
/** A tool whose input is checked and coerced by a zod object. */
export function defineTool<S extends ZodObject, Output>(
  options: Omit<ToolOptions, 'approval'> & {
    input: S;
    approval?: Approval<OutputOf<S>> | undefined;
    run(input: OutputOf<S>, context: ToolContext): Output;
    reconcile?: Reconcile<OutputOf<S>> | undefined;
  },
): Tool<OutputOf<S>, Output>;
export function defineTool(
  options: ToolOptions & Pick<Tool, 'run' | 'reconcile'> & { input?: ZodObject | undefined },
): Tool {
  const { input, ...rest } = options;
  if (input === undefined) return { ...rest, inputSchema: null, parseInput: singleString(options.name) };
  checkSchema(options.name, input);
  const inputSchema = jsonSchema(options.name, input);
  return { ...rest, inputSchema, parseInput: withSchema(options.name, input, inputSchema) };
}

/** JavaScript may hand over anything, and so may a project that has zod 3. */
function checkSchema(name: string, input: unknown): asserts input is ZodObject {
  if (isZodObject(input)) return;
  throw new Error(
    isZod3(input)
      ? `Tool "${name}": its input ${NOT_ZOD_3}.`
      : `Tool "${name}": its input is no zod object. Write z.object({ … }), or leave it out for one plain string.`,
  );
}

function jsonSchema(name: string, input: ZodObject): JsonSchema {
  try {
    // Which draft it is costs tokens, and some providers refuse to hear it.
    const { $schema: _draft, ...schema } = jsonSchemaOf(input, withoutNoise);
    return schema;
  } catch (error) {
    throw new Error(`Tool "${name}": its input cannot be written as JSON Schema: ${String(error)}`, {
      cause: error,
    });
  }
}

/** Every whole number is a safe one in zod; models need not be told. */
function withoutNoise(part: JsonSchemaPart): void {
  if (part.minimum === Number.MIN_SAFE_INTEGER) delete part.minimum;
  if (part.maximum === Number.MAX_SAFE_INTEGER) delete part.maximum;
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

/**
 * A text that is a JSON object of the tool's fields is that object, which is what the schema told the model to write. Any
 * other text goes to the first field, as in LangChain; and where there is no field any input will do.
 */
function withSchema(name: string, schema: ZodObject, takes: JsonSchema): (input: Json) => unknown {
  const { _zod: own } = schema;
  const fields = Object.keys(own.def.shape);
  const [first] = fields;

  function read(input: Json) {
    if (first === undefined) return coerceTo(schema, isObject(input) ? input : {});
    if (typeof input !== 'string') return coerceTo(schema, input);
    const written = objectIn(input);
    const asObject = written !== undefined && isOf(fields, written) ? coerceTo(schema, written) : undefined;
    if (asObject?.success === true) return asObject;
    const asText = coerceTo(schema, { [first]: input });
    return asText.success ? asText : (asObject ?? asText);
  }

  return (input) => {
    const parsed = read(input);
    if (parsed.success) return parsed.data;
    throw new ToolInputError(
      `The input of ${name} is not valid: ${z.prettifyError(parsed.error)}\n${name} takes a JSON object of this schema: ${JSON.stringify(takes)}`,
    );
  };
}

/** zod drops what it does not know: an object of other keys would be nothing, where every field may be left out. */
function isOf(fields: readonly string[], written: JsonObject): boolean {
  const keys = Object.keys(written);
  return keys.length === 0 || keys.some((key) => fields.includes(key));
}

type JsonObject = { [key: string]: Json };

function objectIn(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as Json; // JSON.parse makes nothing but JSON values
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
