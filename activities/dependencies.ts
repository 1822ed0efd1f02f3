import type { Budget } from '../agent/budget.ts';
import type { RunOverrides } from '../agent/overrides.ts';
import type { AgentKind } from '../agent/kinds/kind.ts';
import type { AgentManifest } from '../agent/manifest.ts';
import type { Json } from '../agent/vocabulary.ts';
import type { Model } from '../models/model.ts';
import type { ReplyCache } from './reply-cache.ts';
import type { Tool } from '../tools/tool.ts';

/** What a worker's config gives to the activities: everything concrete is injected. */
export interface Dependencies {
  kinds: ReadonlyMap<string, AgentKind>;
  models: ReadonlyMap<string, Model>;
  tools: ReadonlyMap<string, Tool>;
  agents: readonly string[];
  /**
   * The agent as it is configured now; undefined if there is none of that name. Throws a ConfigError for overrides that
   * cannot be kept to.
   */
  manifest(agent: string, overrides: RunOverrides, parentBudget?: Budget): AgentManifest | undefined;
  /** The parser that an agent of that name has in place of its kind's. */
  parser(agent: string): AgentKind['parse'] | undefined;
  /** An answer as the agent's `output` schema wants it. Throws OutputParserError. */
  checkOutput(manifest: AgentManifest, output: Json): Json;
  /** Where the worker keeps replies to identical requests at temperature 0. */
  replies: ReplyCache | undefined;
  /** Whether Reloop's search attributes are registered. */
  searchAttributes: boolean;
  /** Somebody listens to the events of this worker's runs. */
  events: boolean;
  /** Another worker of the queue may have a newer config, or an older one, for a while: an unknown agent is asked for again. */
  rollingDeploys: boolean;
  /** This worker's identity and queue, for messages; undefined in a worker that the user created. */
  identity: string | undefined;
  address: string | undefined;
  /** Bytes of transcripts kept in memory. */
  transcriptCacheBytes: number;
}
