import type { ChatMessage, Json, ToolCall } from '../values/vocabulary.ts';
import type { RunContext } from './run-context.ts';

/**
 * Guardrails: functions of a config that the worker calls for each model call and each tool call of all its agents. A hook returns nothing
 * to change nothing. A hook that throws, or that does not answer within 30 s, is called again by the retry policy of the call. Then, and at
 * once for a value that is none of these, the call fails with `HookFailed`: nothing passes a hook that failed.
 */
export interface Hooks {
  /**
   * Runs before each request to a model, also for a summary and for `complete` of a tool. Other `messages` are sent in place of the given ones.
   * `block`: the model is not asked, and the call fails with `HookBlocked` and this reason.
   */
  beforeModel?(
    request: { messages: ChatMessage[] },
    call: HookContext,
  ): HookAnswer<{ messages: ChatMessage[] }, { block: string }>;
  /**
   * Runs after each reply of a model, before it is read and recorded. `block`: the reply is not recorded, and the call fails with `HookBlocked`
   * and this reason. With this hook, no text is shown while the model writes.
   */
  afterModel?(
    reply: { text: string; toolCalls: ToolCall[] },
    call: HookContext,
  ): HookAnswer<{ text?: string | undefined; toolCalls?: ToolCall[] | undefined }, { block: string }>;
  /**
   * Runs for each tool call that the model decided on, before a person is asked for approval. `input`: as the tool's schema reads it. Another
   * `input` replaces the model's. `refuse`: the tool is not run, and the model gets this observation.
   */
  beforeTool?(
    action: { tool: string; input: Json },
    call: HookContext,
  ): HookAnswer<{ input: Json }, { refuse: string }>;
  /** Runs after a tool of this worker, before its observation is recorded. */
  afterTool?(
    step: { tool: string; input: Json; observation: Json },
    call: HookContext,
  ): HookAnswer<{ observation: Json }>;
}

export type HookName = keyof Hooks;

/** Answer of a hook, or a promise of it. `hideBefore`: the record of the change has only the length of the earlier text, as for a secret. */
export type HookAnswer<Change, Refusal = never> =
  SyncAnswer<Change, Refusal> | Promise<SyncAnswer<Change, Refusal>>;

type SyncAnswer<Change, Refusal> =
  (Change & { hideBefore?: boolean | undefined }) | Refusal | undefined | void;

/** The model call or tool call that a hook looks at. */
export interface HookContext {
  agent: string;
  /** The workflow id. */
  runId: string;
  /** `3`: the model call of the third iteration. `3.1`: its first tool call. `3-compaction`: the summary before it. `summary`: that of a session. */
  callId: string;
  /** The context that the run was started with; {} without one. */
  context: RunContext;
  tenant: string | undefined;
  /** Aborted when the call is cancelled or its time is over. */
  signal: AbortSignal;
}

/** A change that a hook made, recorded with the call. */
export interface HookChange {
  hook: HookName;
  /** The tool call, `3.1`. Absent: the call that has the record. */
  call?: string | undefined;
  /** The changed part: `messages[2]`, `messages`, `text`, `toolCalls`, `input`, `observation`; `refusal`: the tool was not run. */
  part: string;
  /** The texts from shortly before their first difference, at most 500 characters each. */
  before: string;
  after: string;
}
