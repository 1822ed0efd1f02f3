import type { Tokens } from '../../agent/definition/price.ts';
import type { ModelRequest } from '../../agent/transcript/request.ts';
import type { Json, ToolCall } from '../../agent/values/vocabulary.ts';

export type { ModelRequest };

export interface ModelReply {
  text: string;
  toolCalls: ToolCall[];
  /** The provider's term; `length` means the reply was cut and is never acted on. */
  finishReason: string;
  /** The model's reasoning before the reply, if the provider returns it: shown and recorded, never parsed. */
  reasoning?: string | undefined;
  /**
   * Data that the provider needs when this reply is shown to it again, before the results of its tool calls: JSON in
   * your own format, which comes back with `reasoning` in the assistant's message. Left out, neither comes back.
   */
  providerData?: Json | undefined;
  /**
   * `cachedTokens` and `cacheWriteTokens` are parts of the prompt's tokens, `reasoningTokens` of the completion's, if the provider reports
   * them. Left out, or all 0, if
   * the provider has not counted: usage is then unknown.
   */
  usage?: Tokens | undefined;
  /** The provider's id of the reply, for telemetry. It is not recorded. */
  id?: string | undefined;
  /** Changes to the request, such as a parameter that was left out because the model refused it. */
  warnings?: string[] | undefined;
}

/** Context of a model call: enough to make a request reproducible and to cancel it. */
export interface ModelCallContext {
  /** Aborted when the run is cancelled, or nothing was heard for `requestTimeout`; the HTTP request must end with it. */
  signal: AbortSignal;
  /**
   * The piece of text that just arrived (streaming only). Every call is a sign of life, which starts `requestTimeout`
   * again; a sign of life without text is ''.
   */
  onText(piece: string): void;
  /** The same for the model's reasoning before its text. */
  onReasoning?(piece: string): void;
  /** Called with the numbers of the provider's rate limit, if the provider sends them with a reply or a refusal. */
  onRateLimit?(limit: RateLimit): void;
  /** `3` for the third iteration, `3.1` for a request made by that iteration's first tool call. */
  step: string;
  runId: string;
}

/** The state of a provider's rate limit after a request. */
export interface RateLimit {
  /** Requests and tokens that are left. */
  requests?: number | undefined;
  tokens?: number | undefined;
  /** Time until the limits that are used up allow requests again. */
  resetMs?: number | undefined;
}

/**
 * A model adapter: one function. Called by the `callModel` activity, once per attempt; retries are the caller's. Throws
 * {@link ModelError} for errors that it can classify; any other error counts as retryable.
 */
export interface Model {
  call(request: ModelRequest, context: ModelCallContext): Promise<ModelReply>;
  /** Name in lists for a model in an agent's definition: `scripted`. Default: the agent's name. */
  label?: string | undefined;
  /** Name of the provider in spans and metrics (`gen_ai.provider.name`). Default: the key in `models`, or `custom`. */
  provider?: string | undefined;
  /** URL that a request for the model of this name is sent to, for spans (`server.address`). undefined: it is unknown. */
  serverUrl?(model: string): string | undefined;
  /** The name that requests ask for, whatever the config calls the model. Default: the key in `models`, or the agent's name. */
  modelName?: string | undefined;
  /** Context window in tokens: the most that a prompt and its reply may take. For agents with `compaction`. */
  window?: number | undefined;
  /**
   * Asked by `reloop doctor --probe` after the model has answered: the context window, in tokens, that the server keeps to for
   * the model of this name. undefined: the server does not say.
   */
  serverWindow?(model: string, context: ModelCallContext): Promise<number | undefined>;
  /**
   * Code that gives the model a name, such as `openai('gpt-4o-mini', { … })`. A model with this hint and without `modelName` is
   * refused directly in an agent: its server would be asked for the agent's name.
   */
  nameHint?: string | undefined;
  /** Checked when a config is loaded: a sentence with the missing setting, or undefined. */
  validate?(): string | undefined;
}

export type ModelErrorType =
  | 'ModelAuthenticationError'
  | 'ModelPermissionDenied'
  | 'ModelNotFound'
  | 'ModelBadRequest'
  | 'ModelContextTooLong'
  | 'ModelRateLimited'
  | 'ModelConflict'
  | 'ModelServerError'
  | 'ModelConnectionError'
  | 'ModelTimeout'
  | 'ModelInvalidResponse'
  | 'ModelStreamCut';

/** A failed model call, already classified: one type per cause, retryable or not, and how long the provider asks to wait. */
export class ModelError extends Error {
  override name = 'ModelError';
  readonly type: ModelErrorType;
  readonly retryable: boolean;
  /** Milliseconds the provider asked to wait (Retry-After). */
  readonly retryAfterMs: number | undefined;
  /** No request was sent, because the model has an outage. */
  readonly heldBack: boolean;
  /** The model itself does not take the images or tools of the request: another model may answer the same request. */
  readonly lacksFeature: boolean;
  /**
   * true: the provider has certainly not worked on the request: it was not reached, or it has turned the request away. false: it has.
   * undefined: as `type` says.
   */
  readonly unbilled: boolean | undefined;

  constructor(
    type: ModelErrorType,
    message: string,
    options: {
      retryable: boolean;
      retryAfterMs?: number | undefined;
      heldBack?: boolean | undefined;
      lacksFeature?: boolean | undefined;
      unbilled?: boolean | undefined;
      cause?: unknown;
    },
  ) {
    super(message, { cause: options.cause });
    this.type = type;
    this.retryable = options.retryable;
    this.retryAfterMs = options.retryAfterMs;
    this.heldBack = options.heldBack === true;
    this.lacksFeature = options.lacksFeature === true;
    this.unbilled = options.unbilled;
  }
}

/** Defines your own model: `call` is all it takes. */
export function defineModel(model: Model): Model {
  return model;
}

/** Store of replies to identical requests, by key (64 hex digits). May be slow or broken: no call fails for it. */
export interface ReplyStore {
  /** undefined: nothing is stored. */
  get(key: string): Promise<Json | undefined> | Json | undefined;
  set(key: string, value: { [field: string]: Json }): unknown;
}
