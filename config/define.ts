import type { RunEvent } from '../agent/events.ts';
import type { AgentKind } from '../agent/kinds/kind.ts';
import type { MemoryManifest } from '../agent/manifest.ts';
import type { ReplyStore } from '../models/reply-store.ts';
import type { Json } from '../agent/vocabulary.ts';
import type { Model } from '../models/model.ts';
import type { z } from 'zod';
import type { Tool } from '../tools/tool.ts';

/** An agent, as a config module defines it. Durations are milliseconds or Temporal duration strings ('10m'). */
export interface AgentDefinition {
  name: string;
  /** Shown by `reloop agents`. */
  description?: string;
  /**
   * How the agent asks and reads answers: 'zero-shot' (default), 'structured-chat', 'conversational', 'tool-calling', or a
   * kind of your own, made with `defineKind`.
   */
  kind?: string | AgentKind;
  /** A model name (asked through `openai()`, or a key of the config's `models`), or a model itself. */
  model: string | Model;
  tools?: readonly Tool[];
  /** Texts that replace the kind's own, by name (`reloop agents --json` lists the names): prefix, system, human … */
  prompt?: { [name: string]: string };
  /** Reads replies in the kind's place. Throws OutputParserError for what it cannot read. */
  parser?: AgentKind['parse'];
  /** What the final answer has to be. An answer that is not is asked for again, with the error, as a further iteration. */
  output?: z.ZodType;
  /** Turns the loop may take; null for no limit. Default 15. */
  maxIterations?: number | null;
  /**
   * Looked at between turns, and cuts a call that is running at the deadline; null for no limit, which is the default. Time
   * spent waiting for a person does not count.
   */
  maxExecutionTime?: number | string | null;
  /** What a limit does: 'force' (default) ends the run with a fixed sentence, 'generate' asks the model for its answer. */
  earlyStopping?: 'force' | 'generate';
  /**
   * The n-th identical action in a row is not run, the model is told instead; one more stops the run as max_iterations does.
   * Off by default.
   */
  repeatLimit?: number;
  /**
   * How much of a conversation the model is shown, in a session or with `chatHistory`: 'buffer' (default), all of it; the last
   * `turns`; the last turns within `tokens` (four characters are taken as one); or a summary that the model writes of what
   * is older, whenever a session has more than `tokens` since the last one.
   */
  memory?: 'buffer' | MemoryManifest;
  /** true (default): tell the model that its reply could not be read; a text: tell it this; false: fail the run. */
  handleParsingErrors?: boolean | string;
  /** The model sees the last n steps. Default -1: all. */
  trimIntermediateSteps?: number;
  /** Default 'chat'; 'completions' for the legacy API. */
  api?: 'chat' | 'completions';
  /** Default true. */
  stream?: boolean;
  temperature?: number;
  maxTokens?: number;
  topP?: number;
  frequencyPenalty?: number;
  presencePenalty?: number;
  logitBias?: { [token: string]: number };
  /** Longest wait for the model to answer, or to go on with an answer. Default 10 minutes. */
  requestTimeout?: number | string;
  /** Further fields of the request body. */
  extra?: { [name: string]: Json };
  /** Stop strings in place of the kind's own. */
  stop?: readonly string[];
}

export interface ConfigDefinition {
  agents: readonly AgentDefinition[];
  /** Tools that no agent lists, for `reloop tools`. */
  tools?: readonly Tool[];
  /** Models by name; an agent's `model` may be such a name. */
  models?: { [name: string]: Model };
  /**
   * Answers a request that was asked before, at temperature 0, without asking again: true for a cache in the worker's
   * memory, or a store of your own. Off by default.
   */
  cache?: boolean | ReplyStore;
  /**
   * Told what happens in the runs of this worker, as it happens (LangChain's callbacks): logs, metrics. Once for each event,
   * not again on replay; an event whose worker dies is not told. What it throws is logged. `run.id` is the workflow id.
   */
  onEvent?(event: RunEvent, run: { id: string; runId: string }): unknown;
  /** Default: TEMPORAL_TASK_QUEUE, else 'reloop'. */
  taskQueue?: string;
}

/** A config that cannot be used: the message names the place and what would be right. The CLI exits with 2. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** Checked when it is loaded, not here: an agent may be defined before its tools are complete. */
export function defineAgent(agent: AgentDefinition): AgentDefinition {
  return agent;
}

/** A kind of your own: how it asks, how it reads the answer. Pure functions; see {@link AgentKind}. */
export function defineKind(kind: AgentKind): AgentKind {
  return kind;
}

/** The default export of a `reloop.config.ts`. */
export function defineConfig(config: ConfigDefinition): ConfigDefinition {
  return config;
}
