import type { Tokens } from '../agent/price.ts';
import type { ModelRequest } from '../agent/transcript/request.ts';
import type { Json, ToolCall } from '../agent/vocabulary.ts';

export type { ModelRequest };

export interface ModelReply {
  text: string;
  toolCalls: ToolCall[];
  /** As the provider says it; `length` means the reply was cut and is never acted on. */
  finishReason: string;
  /** What the model thought before it replied, where its provider says so: shown and recorded, never parsed. */
  reasoning?: string | undefined;
  /**
   * What the provider wants back when this reply is shown to it again, before the results of its tool calls: JSON of your
   * own, which comes back with `reasoning` in the assistant's message. Left out, neither comes back.
   */
  providerData?: Json | undefined;
  /**
   * `cachedTokens`, of the prompt's, where the provider says so. Left out, or all 0, where it has not counted: the reply's
   * tokens are then unknown.
   */
  usage?: Tokens | undefined;
  /** For instance a parameter that was left out because the model refused it. */
  warnings?: string[] | undefined;
}

/** Who is asking: enough to make a request reproducible and to cancel it. */
export interface ModelCallContext {
  /** Aborted when the run is cancelled, or nothing was heard for `requestTimeout`; the HTTP request must end with it. */
  signal: AbortSignal;
  /**
   * The piece of text that just arrived (streaming only). Every call is a sign of life, which starts `requestTimeout`
   * again; something that brings no text is told as ''.
   */
  onText(piece: string): void;
  /** The same for what the model thinks before it writes. */
  onReasoning?(piece: string): void;
  /** `3` for the third iteration, `3.1` for a request made by that iteration's first tool call. */
  step: string;
  runId: string;
}

/**
 * A model adapter: one function. Called by the `callModel` activity, once per attempt; retries are the caller's.
 * Throws {@link ModelError} for what it understands; anything else counts as retryable.
 */
export interface Model {
  call(request: ModelRequest, context: ModelCallContext): Promise<ModelReply>;
  /** How lists call it, where it is given in an agent's definition: `scripted`. Default: by the agent's name. */
  label?: string | undefined;
  /** Checked when a config is loaded: a sentence that says what is missing, or undefined. */
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

  constructor(
    type: ModelErrorType,
    message: string,
    options: { retryable: boolean; retryAfterMs?: number | undefined; cause?: unknown },
  ) {
    super(message, { cause: options.cause });
    this.type = type;
    this.retryable = options.retryable;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** A model of your own: `call` is all it takes. */
export function defineModel(model: Model): Model {
  return model;
}
