import { ApplicationFailure } from '@temporalio/activity';
import type { Budget } from '../agent/definition/budget.ts';
import type { RunContext } from '../agent/definition/run-context.ts';
import type { Hooks } from '../agent/definition/hooks.ts';
import type { RunOverrides } from '../agent/start/overrides.ts';
import type { AgentKind } from '../agent/definition/kind.ts';
import type { AgentManifest } from '../agent/definition/manifest.ts';
import type { SentMessage } from '../agent/rules/sender.ts';
import type { Json } from '../agent/values/vocabulary.ts';
import type { WebhookTarget } from '../agent/webhooks/delivery.ts';
import type { Model } from '../adapters/models/model.ts';
import type { BudgetKeeper } from './limits/budget-keeper.ts';
import type { ModelLimiter } from './limits/model-limiter.ts';
import type { ReplyCache } from './reply-cache.ts';
import type { Tool } from '../adapters/tools/tool.ts';

/** The parts of a worker's config that the activities use: everything concrete is injected. */
export interface Dependencies {
  kinds: ReadonlyMap<string, AgentKind>;
  models: ReadonlyMap<string, Model>;
  tools: ReadonlyMap<string, Tool>;
  /** `search_tools`, `use_tool`, `read_skill` and `background`, for runs that began when the config had the options that bring them. */
  earlierTools: readonly Tool[];
  agents: readonly string[];
  /**
   * The agent as it is configured now; undefined for an unknown name. Throws a ConfigError for overrides that
   * cannot be kept to.
   */
  manifest(agent: string, overrides: RunOverrides, parentBudget?: Budget): AgentManifest | undefined;
  /** A run's context as the schema of its agent or of the config reads it. Throws a ConfigError for one that does not fit. */
  checkContext(agent: string, context: RunContext | undefined): RunContext | undefined;
  /** The parser that an agent of that name has in place of its kind's. */
  parser(agent: string): AgentKind['parse'] | undefined;
  /** An answer as the agent's `output` schema wants it. Throws OutputParserError. */
  checkOutput(manifest: AgentManifest, output: Json): Json;
  /** The config's check of people's decisions and messages. */
  authorize: ((word: SentMessage) => boolean | Promise<boolean>) | undefined;
  /** The config's guardrails for model calls and tool calls. */
  hooks: Hooks | undefined;
  /** Signs the token of a deferred call, without the token; undefined: the worker has no key. */
  signToken: ((token: string) => string) | undefined;
  /** Addresses that get events of runs, by name. */
  webhooks: ReadonlyMap<string, WebhookTarget>;
  /** The worker's cache of replies to identical requests at temperature 0. */
  replies: ReplyCache | undefined;
  /** Limits of models over all workers; undefined: the config has none. */
  limiter: ModelLimiter | undefined;
  /** Budgets above runs; undefined: the config has none. */
  budgets: BudgetKeeper | undefined;
  /** Reloop's search attributes are registered. */
  searchAttributes: boolean;
  /** The events of this worker's runs have a listener. */
  events: boolean;
  /** Starts the trace of a run, or continues its caller's: `traceparent`. undefined: the config has no telemetry. */
  beginTrace: ((run: { agent: string; runId: string }, caller: string | undefined) => string) | undefined;
  /** Another worker of the queue may have a newer config, or an older one, for a while: an unknown agent is asked for again. */
  rollingDeploys: boolean;
  /** This worker's identity and queue, for messages; undefined in a worker that the user created. */
  identity: string | undefined;
  address: string | undefined;
  /** Bytes of transcripts kept in memory. */
  transcriptCacheBytes: number;
}

/** The failure where an agent was started with a part that this worker's config does not have. Retryable: another worker may have it. */
export function notConfigured(type: string, part: string, known: string[]): ApplicationFailure {
  const message = `${part}, which this worker does not have. It has: ${known.join(', ') || 'none'}.`;
  return ApplicationFailure.create({ type, message });
}
