import { isObject, parseJson } from '../../agent/values/json-object.ts';
import { z } from 'zod/v4';
import type { AgentManifest, JsonSchema, Options, ToolRules } from '../../agent/definition/manifest.ts';
import type { AskedState } from '../../agent/calls/asked-state.ts';
import type { RunContext } from '../../agent/definition/run-context.ts';
import type { Json, JsonObject } from '../../agent/values/vocabulary.ts';
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

/** Context of a tool call, beside the input. Tools know nothing of Temporal: a test passes a plain object. */
export interface ToolContext {
  /** Aborted when the call is cancelled or its time is over. */
  signal: AbortSignal;
  /** Says how far it is; shown live, never stored in the transcript. */
  progress(text: string): void;
  /** Stores a JSON value that survives crash and re-schedule; resolves when it is stored. */
  checkpoint(value: Json): Promise<void>;
  /** The last stored checkpoint of this call, or undefined. */
  lastCheckpoint: Json | undefined;
  /** Stays the same over retries and crashes of this call; new when its input changes. */
  idempotencyKey: string;
  /** Calls of this tool that ended before this one, oldest first. Read from history: costs a few milliseconds. Throws if the history is past its retention. */
  earlierCalls(): Promise<EarlierCall[]>;
  /** Asks the agent's model; its usage counts. */
  complete(prompt: string): Promise<string>;
  /**
   * Right before the effect, in a tool of `effects: 'once'`: resolves when this attempt may still take effect, and
   * throws when the call was cancelled, timed out or given to another worker. Then there was no effect, and Reloop
   * knows it.
   */
  commit(): Promise<void>;
  /**
   * Defers the result: when `run` has returned, the call waits, as `deferred`, until it is resolved, over any number of
   * restarts. The person who is asked sees the return value of `run`. The token is for a caller without the run's id:
   * `client.resolve(token, output)`. It is random, stored when the promise resolves, and the same in every attempt of
   * the call until `run` has returned. Throws when the attempt is no longer this worker's.
   */
  defer(): Promise<{ token: string }>;
  /** The context that the run was started with, as the config's `context` reads it; {} without one. */
  context: RunContext;
  /** The customer or user that the run was started for; undefined: it has none. */
  tenant(): Promise<string | undefined>;
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

/** Rule for the approval of a call by a person. */
export type Approval<Input = never> =
  | ApprovalRule<Input>
  /** `by`: the only people who may decide on a call that waits for approval. The config's `authorize` checks their names. Default of `when`: 'always'. */
  | { by: readonly string[]; when?: ApprovalRule<Input> | undefined };

type ApprovalRule<Input> =
  | 'always'
  | 'never'
  /** true: a person is asked. What it throws is shown to them. Looked at once for each call, by the worker, and recorded. */
  | ApprovalFunction<Input>['check'];

/** Declared as a method, so that a list of tools of any input can hold it. */
interface ApprovalFunction<Input> {
  check(input: Input, context: ApprovalContext): boolean | Promise<boolean>;
}

export interface ApprovalContext {
  agent: string;
  /** The workflow id. */
  runId: string;
  /** `3.1`: third iteration, first call. */
  callId: string;
  /** The same as {@link ToolContext}'s. */
  context: RunContext;
}

/** Longest wait for a person, and the reaction at its end: an observation for the model ('observe', the default), or the run fails. */
export type AskTimeoutOption =
  number | string | { after: number | string; unanswered?: 'observe' | 'fail' | undefined };

export interface ToolOptions extends Options<ToolRules> {
  name: string;
  description: string;
  /** Time for one attempt. Default 5 minutes. */
  timeout?: number | string | undefined;
  /** Default 3 attempts, 1 s apart, doubling, at most 30 s. */
  retry?: ToolRetry | undefined;
  /** Approval by a person before each call runs. Default 'never'. */
  approval?: Approval | undefined;
  /**
   * Runs a call's first attempt inside the activity of the model call that decided on it: for a tool of `effects: 'none'` that takes
   * milliseconds. A call that fails, takes longer than a second, or asks for more than its input, key and signal becomes an
   * activity, as any other call, and is run again. Default: false; true for the calculator.
   */
  inline?: boolean | undefined;
  /** The model continues with a ticket, and gets the result as a message later. Not with `inline` or `returnDirect`. */
  background?: boolean | undefined;
  /** Longest wait of a call for a person. Default: the agent's, or no limit. */
  askTimeout?: AskTimeoutOption | undefined;
}

/** A tool. Made by {@link defineTool}; `Tool` without parameters is a tool of any input, as agents list them. */
export interface Tool<Input = never, Output = unknown> extends ToolOptions {
  /** null: one plain string. */
  inputSchema: JsonSchema | null;
  /** Checks and coerces an input. Throws ToolInputError with a sentence for the model. */
  parseInput(input: Json): unknown;
  run(input: Input, context: ToolContext): Output;
  reconcile?: Reconcile<Input> | undefined;
  /**
   * Ends work that continues elsewhere, and that the call's last checkpoint names; `mcp()` sets it. Runs when the call has ended without the
   * result of that work, with the checkpoint. The checkpoints of such a tool are events of the run; null: that work is over.
   */
  cancel?: ((input: Input, context: ToolContext) => Promise<void>) | undefined;
  /**
   * Makes the tool for the agent that calls it, as its run recorded the agent. Tools of the options `skills` and `toolSearch` have it. The
   * `run` beside it is never called.
   */
  forAgent?: ((agent: AgentManifest) => Tool) | undefined;
  /** Set if the tool runs elsewhere: in another worker's activity, or as a run of another agent. */
  remote?: RemoteTool | undefined;
}

/**
 * Checks the place of the effect, and reports whether an interrupted call of a tool with `effects: 'once'` took
 * effect. The context is the call's, with its idempotency key. Runs when the lost attempt must have ended.
 */
export type Reconcile<Input = never> = (
  input: Input,
  context: ToolContext,
) => Reconciled | Promise<Reconciled>;

/** `done`, with the tool's result; `notDone`, so that it may run; or `unknown`. */
export type Reconciled = { status: 'done'; output: unknown } | { status: 'notDone' } | { status: 'unknown' };

export type RemoteTool =
  | {
      type: 'activity';
      taskQueue?: string | undefined;
      heartbeatTimeout?: number | string | undefined;
    }
  | { type: 'agent'; agent: string }
  | { type: 'human' };

/**
 * Returned by a tool that needs an answer of a person: the call waits, as `deferred`, and the decision `resolve` runs the tool again, with
 * `{ asked, answer }` as its last checkpoint, where `asked` is `asks.state`.
 */
export class AskedInput {
  /** Shown to the person. */
  readonly question: Json;
  readonly asks: AskedState;

  constructor(question: Json, asks: AskedState) {
    this.question = question;
    this.asks = asks;
  }
}

/** Thrown by a tool for an error that goes to the model at once, without a retry: the message is the observation. */
export class ToolError extends Error {
  override name = 'ToolError';

  constructor(message = 'Tool execution error', options?: ErrorOptions) {
    super(message, options);
  }
}

/** An input that does not fit the tool: the message goes to the model, and the tool is not run. */
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
  if (input === undefined) return { ...rest, inputSchema: null, parseInput: singleString(options) };
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
      : `Tool "${name}": its input is not a zod object. Write z.object({ … }), or leave it out for one plain string.`,
  );
}

function jsonSchema(name: string, input: ZodObject): JsonSchema {
  try {
    // The name of the draft costs tokens, and some providers refuse it.
    const { $schema: _draft, ...schema } = jsonSchemaOf(input, withoutNoise);
    return schema;
  } catch (error) {
    throw new Error(`Tool "${name}": its input cannot be written as JSON Schema: ${String(error)}`, {
      cause: error,
    });
  }
}

/** Removes the bounds that zod gives every whole number (safe integers): models do not need them. */
function withoutNoise(part: JsonSchemaPart): void {
  if (part.minimum === Number.MIN_SAFE_INTEGER) delete part.minimum;
  if (part.maximum === Number.MAX_SAFE_INTEGER) delete part.maximum;
}

/** A model that has nothing to say to a tool gives it an empty object: enough for a tool whose `run` takes no input. */
function singleString({ name, run }: Pick<Tool, 'name' | 'run'>): (input: Json) => string {
  return (input) => {
    if (typeof input === 'string') return input;
    const values = isObject(input) ? Object.values(input) : [];
    if (values.length === 0 && isObject(input) && run.length === 0) return '';
    const only = values.length === 1 ? values[0] : undefined;
    if (only !== undefined) return typeof only === 'string' ? only : JSON.stringify(only);
    throw new ToolInputError(`${name} takes one string, but was given ${JSON.stringify(input)}.`);
  };
}

/**
 * A text that is a JSON object of the tool's fields is read as that object, as the schema told the model. Any other
 * text goes to the first field, as in LangChain. Without fields, any input is accepted.
 */
function withSchema(name: string, schema: ZodObject, takes: JsonSchema): (input: Json) => unknown {
  const { _zod: own } = schema;
  const fields = Object.keys(own.def.shape);
  const [first] = fields;

  function read(input: Json) {
    if (first === undefined) return coerceTo(schema, isObject(input) ? input : {});
    if (typeof input !== 'string') return coerceTo(schema, input);
    const written = parseJson(input);
    const asObject = isObject(written) && isOf(fields, written) ? coerceTo(schema, written) : undefined;
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

/** zod drops unknown keys: an object of other keys would be empty, and fit if every field is optional. */
function isOf(fields: readonly string[], written: JsonObject): boolean {
  const keys = Object.keys(written);
  return keys.length === 0 || keys.some((key) => fields.includes(key));
}
