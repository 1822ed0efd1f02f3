import type { RunEvent } from '../agent/events.ts';
import type { AgentKind } from '../agent/kinds/kind.ts';
import type { LoopOptions, MemoryManifest, Options, RequestOptions } from '../agent/manifest.ts';
import type { ReplyStore } from '../models/reply-store.ts';
import type { Model } from '../models/model.ts';
import type { Price } from '../agent/price.ts';
import type { Heartbeats } from './heartbeats-option.ts';
import type { KindName, PromptTexts } from './kind-types.ts';
import type { AskTimeoutOption, Tool, ToolRetry as Retry } from '../tools/tool.ts';
import type { ZodSchema } from '../tools/zod-schema.ts';

/** An agent, as a config module defines it. Durations are milliseconds or Temporal duration strings ('10m'). */
export interface AgentDefinition extends Options<LoopOptions>, Options<RequestOptions> {
  name: string;
  /** Shown by `reloop agents`. */
  description?: string | undefined;
  /**
   * How the agent asks and reads answers: 'zero-shot' (default), 'structured-chat', 'conversational', 'tool-calling', or a
   * kind of your own, made with `defineKind`: give it itself, not its name.
   */
  kind?: KindName | AgentKind | undefined;
  /** A model name (asked through `openai()`, or a key of the config's `models`), or a model itself. */
  model: string | Model;
  tools?: readonly Tool[] | undefined;
  /** Texts that replace the kind's own, by name (`reloop agents --json` lists the names): prefix, system, human … */
  prompt?: { [name: string]: string } | undefined;
  /** Reads replies in the kind's place. Throws OutputParserError for what it cannot read. */
  parser?: AgentKind['parse'] | undefined;
  /** What the final answer has to be. An answer that is not is asked for again, with the error, as a further iteration. */
  output?: ZodSchema | undefined;
  /**
   * Looked at between turns, and cuts a call that is running at the deadline; null for no limit, which is the default. Time
   * spent waiting for a person does not count.
   */
  maxExecutionTime?: number | string | null | undefined;
  /**
   * How much of a conversation the model is shown, in a session or with `chatHistory`: 'buffer' (default), all of it; the last
   * `turns`; the last turns within `tokens` (four characters are taken as one); or a summary that the model writes of what
   * is older, whenever a session has more than `tokens` since the last one.
   */
  memory?: 'buffer' | MemoryManifest | undefined;
  /** Longest wait for the model to answer, or to go on with an answer. Default 10 minutes. */
  requestTimeout?: number | string | undefined;
  /** Attempts of a model call, and the waits between them. Default 5 attempts: 0.5 s apart, doubling, at most 30 s. */
  modelRetry?: Retry | undefined;
  /** How long any of its calls may wait for a person. Default: as long as it takes. A model call, when the time is over, fails the run. */
  askTimeout?: AskTimeoutOption | undefined;
  /** Stop strings in place of the kind's own. */
  stop?: readonly string[] | undefined;
}

export interface ConfigDefinition {
  agents: readonly AgentDefinition[];
  /** Tools that no agent lists, for `reloop tools`. */
  tools?: readonly Tool[] | undefined;
  /** Models by name; an agent's `model` may be such a name. */
  models?: { [name: string]: Model } | undefined;
  /**
   * What models cost, in US dollars per million tokens, by the name that is sent: `{ 'gpt-4o-mini': { input: 0.15, output:
   * 0.6 } }`. Reloop knows no prices: they change. A run keeps to those it began with.
   */
  prices?: { [model: string]: Price } | undefined;
  /**
   * Answers a request that was asked before, at temperature 0, without asking again: true for a cache in the worker's
   * memory, or a store of your own. Off by default.
   */
  cache?: boolean | ReplyStore | undefined;
  /**
   * Told what happens in the runs of this worker, as it happens (LangChain's callbacks): logs, metrics. Once for each event,
   * not again on replay; an event whose worker dies is not told. What it throws is logged. `run.id` is the workflow id.
   */
  onEvent?(event: RunEvent, run: { id: string; runId: string }): unknown;
  /**
   * How often this config's workers tell the server of calls that take long: 'lively', 'frugal' or `{ everyMs }`. Default:
   * lively with a server that is known to be on this machine, where nobody is billed for it; else frugal.
   */
  heartbeats?: Heartbeats | undefined;
  /** Default: TEMPORAL_TASK_QUEUE, else 'reloop'. */
  taskQueue?: string | undefined;
}

/** A config that cannot be used: the message names the place and what would be right. The CLI exits with 2. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/**
 * Checked when it is loaded, not here: an agent may be defined before its tools are complete. An editor knows the prompt
 * texts of the kind.
 */
export function defineAgent<Kind extends KindName | AgentKind = 'zero-shot'>(
  agent: AgentOfKind<Kind>,
): AgentDefinition {
  return agent;
}

type AgentOfKind<Kind> = Omit<AgentDefinition, 'kind' | 'prompt'> & {
  kind?: Kind | undefined;
  prompt?: PromptTexts<Kind> | undefined;
};

/** A kind of your own: how it asks, how it reads the answer. Pure functions; see {@link AgentKind}. */
export function defineKind(kind: AgentKind): AgentKind {
  return kind;
}

/** The default export of a `reloop.config.ts`. */
export function defineConfig(config: ConfigDefinition): ConfigDefinition {
  return config;
}
