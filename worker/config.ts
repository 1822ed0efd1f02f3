import type { Json } from '../agent/vocabulary.ts';
import type { Model } from '../models/model.ts';
import type { Tool } from '../tools/tool.ts';

/** An agent, as a config module defines it. Durations are milliseconds or Temporal duration strings ('10m'). */
export interface AgentDefinition {
  name: string;
  /** Shown by `reloop agents`. */
  description?: string;
  /** How the agent asks and reads answers. Default 'zero-shot'. */
  kind?: string;
  /** A model name (asked through `openai()`, or a key of the config's `models`), or a model itself. */
  model: string | Model;
  tools?: readonly Tool[];
  /** Texts that replace the kind's own, by name (zero-shot: prefix, formatInstructions, suffix). */
  prompt?: { [name: string]: string };
  /** Turns the loop may take; null for no limit. Default 15. */
  maxIterations?: number | null;
  /** Looked at between turns; null for no limit, which is the default. */
  maxExecutionTime?: number | string | null;
  /** What a limit does: 'force' ends the run with a fixed sentence. */
  earlyStopping?: 'force';
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

/** The default export of a `reloop.config.ts`. */
export function defineConfig(config: ConfigDefinition): ConfigDefinition {
  return config;
}
