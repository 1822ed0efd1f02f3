import type { RunEvent } from '../agent/run/events.ts';
import type { Hooks } from '../agent/definition/hooks.ts';
import type { AgentKind } from '../agent/definition/kind.ts';
import type { LoopOptions, MemoryManifest, Options, RequestOptions } from '../agent/definition/manifest.ts';
import type { BudgetDefinition } from '../agent/budgets/budget-rule.ts';
import type { ModelLimits } from '../agent/model-limits/lease-request.ts';
import type { EvalDefinition } from '../features/evals/rules/eval-definition.ts';
import type { ScheduleDefinition } from '../features/schedules/rules/schedule-definition.ts';
import type { WebhookEvent } from '../agent/definition/webhook-route.ts';
import type { SentMessage } from '../agent/rules/sender.ts';
import type { Model, ModelErrorType, ReplyStore } from '../adapters/models/model.ts';
import type { Price } from '../agent/definition/price.ts';
import type { EncryptionOptions } from '../features/encryption/keys.ts';
import type { StorageOptions } from '../features/storage/storage.ts';
import type { LiveOption } from '../features/live/live-channel.ts';
import type { KindName, PromptTexts } from './kind-names.ts';
import type { Heartbeats } from './heartbeats-option.ts';
import type { AskTimeoutOption, Tool, ToolRetry as Retry } from '../adapters/tools/tool.ts';
import type { ZodSchema } from '../adapters/tools/zod-schema.ts';

/** An agent, as a config module defines it. Durations are milliseconds or Temporal duration strings ('10m'). */
export interface AgentDefinition extends Options<LoopOptions>, Options<RequestOptions> {
  name: string;
  /** Shown by `reloop agents`. */
  description?: string | undefined;
  /**
   * The prompt format and the reply parser: 'tool-calling' (default), 'zero-shot', 'structured-chat', 'conversational',
   * or a custom kind, made with `defineKind`: give the kind itself, not its name.
   */
  kind?: KindName | AgentKind | undefined;
  /**
   * A model name (asked through `openai()`, or a key of the config's `models`), or a model itself. A list: where the first model
   * fails, the next one is asked, in the same attempt.
   */
  model: string | Model | readonly (string | Model | FallbackModel)[];
  tools?: readonly Tool[] | undefined;
  /**
   * Agents of the config, by name or definition, to which the agent may hand the conversation over: for each of them the model
   * gets a tool `transfer_to_NAME`. The other agent then continues the run.
   */
  handoffs?: readonly (string | AgentDefinition)[] | undefined;
  /**
   * true: the prompt does not have the agent's `tools`. The model finds them with `search_tools` and calls them with `use_tool`, or by their
   * names: docs/tool-search.md. `show`: names of tools that the prompt has as well. `results`: tools that one search returns at most,
   * default 5. Default: the prompt has all tools.
   */
  toolSearch?: boolean | { show?: readonly string[] | undefined; results?: number | undefined } | undefined;
  /**
   * Folder of skills, relative to the config: each sub-folder with a SKILL.md is one. The prompt has their names and descriptions, and the
   * model reads the rest with the tool `read_skill`: docs/skills.md. Default: none.
   */
  skills?: string | undefined;
  /** true: callers of runs may bring tools that they carry out: docs/client-tools.md. Default: a start with such tools is refused. */
  clientTools?: boolean | undefined;
  /** Texts that replace the kind's own, by name (`reloop agents --json` lists the names): prefix, system, human … */
  prompt?: { [name: string]: string } | undefined;
  /** Schema of the context of this agent's runs, in place of the config's: docs/run-context.md. */
  context?: ZodSchema | undefined;
  /** Reads replies in place of the kind. Throws OutputParserError for a reply that it cannot read. */
  parser?: AgentKind['parse'] | undefined;
  /** Schema of the final answer. If an answer does not fit, the model is asked again, with the error, as a further iteration. */
  output?: ZodSchema | undefined;
  /**
   * Looked at between turns, and cuts a call that is running at the deadline; null for no limit, which is the default. Time
   * spent waiting for a person does not count.
   */
  maxExecutionTime?: number | string | null | undefined;
  /**
   * Part of a conversation that the model sees, in a session or with `chatHistory`: 'buffer' (default), all of it; the
   * last `turns`; the last turns within `tokens` (four characters are taken as one); or a summary of the older turns,
   * which the model writes whenever a session has more than `tokens` since the last one.
   */
  memory?: 'buffer' | MemoryManifest | undefined;
  /**
   * Summaries in long runs: before a prompt passes the share `at` (default 0.8) of the model's context window (`window`, in tokens;
   * default: the `window` of the model in the config's `models`), the model writes a summary of the run's turns, which is shown
   * in their place from then on. The last `keep` turns (default 6; fewer if they are long) stay unchanged. Off by
   * default.
   */
  compaction?:
    { window?: number | undefined; at?: number | undefined; keep?: number | undefined } | undefined;
  /** Longest wait for the model to answer, or to continue an answer. Default 10 minutes. */
  requestTimeout?: number | string | undefined;
  /** Attempts of a model call, and the waits between them. Default 5 attempts: 0.5 s apart, doubling, at most 30 s. */
  modelRetry?: Retry | undefined;
  /** Longest wait of its calls for a person. Default: no limit. A model call without an answer in time fails the run. */
  askTimeout?: AskTimeoutOption | undefined;
  /** Stop strings in place of the kind's own. */
  stop?: readonly string[] | undefined;
}

/** A model that is asked only after some failures of the models before it. */
export interface FallbackModel {
  model: string | Model;
  /** Types of these failures. Default: all but `ModelContextTooLong`, and `ModelBadRequest` unless the model takes no images or no tools. */
  on?: readonly ModelErrorType[] | undefined;
}

export interface ConfigDefinition {
  agents: readonly AgentDefinition[];
  /** Tools that no agent lists, for `reloop tools`. */
  tools?: readonly Tool[] | undefined;
  /** Models by name; an agent's `model` may be such a name. */
  models?: { [name: string]: Model } | undefined;
  /**
   * Prices of models, in US dollars per million tokens, by the name that is sent: `{ 'gpt-4o-mini': { input: 0.15,
   * output: 0.6 } }`. Reloop knows no prices: they change. A run keeps the prices that it started with.
   */
  prices?: { [model: string]: Price } | undefined;
  /**
   * Limits of models, over all workers of a task queue, by the name in `models` or the name that is sent: `{ 'gpt-4o-mini': {
   * rpm: 600, tpm: 60_000, concurrency: 50 } }`. Calls wait for them: docs/model-limits.md. Default: none.
   */
  limits?: { [model: string]: ModelLimits } | undefined;
  /**
   * Budgets of all runs, of each agent or of each tenant, a day or a month, over all workers of a task queue: `[{ name: 'month', of:
   * 'tenant', per: 'month', cost: 20 }]`. At their end, calls of models wait or fail, or runs stop: docs/budgets.md. Default: none.
   */
  budgets?: readonly BudgetDefinition[] | undefined;
  /**
   * A model with an outage is left alone: after `failures` requests in a row have failed by it (5), a worker sends one request every
   * `probeEvery` ('10s') until the model answers. Other calls wait, or ask the agent's next model. true: with these numbers. Default:
   * none. Runs that start with it keep it.
   */
  breaker?: boolean | BreakerOptions | undefined;
  /**
   * Answers a request that was asked before, at temperature 0, without asking again: true for a cache in the worker's
   * memory, or your own store. Off by default.
   */
  cache?: boolean | ReplyStore | undefined;
  /**
   * Called for each event in the runs of this worker (LangChain's callbacks): logs, metrics. Once for each event, not
   * again on replay; events may be lost when a worker dies. Errors that it throws are logged. `run.id` is the workflow
   * id.
   */
  onEvent?(event: RunEvent, run: { id: string; runId: string }): unknown;
  /**
   * Heartbeat interval of long calls: 'lively', 'frugal' or `{ everyMs }`. Default: lively with a server on this
   * machine, where heartbeats are not billed; otherwise frugal.
   */
  heartbeats?: Heartbeats | undefined;
  /**
   * Calls of models and tools that one worker makes at a time; further calls wait. Default: as many as its memory allows, from 100 to
   * 2,000 (about 500 with 512 MB): docs/production.md. Overridden by `reloop worker --concurrency` and `createWorker({ concurrency })`.
   */
  concurrency?: number | undefined;
  /**
   * Schema of the context that each run is started with, such as its user. Tools get it as `ctx.context`; the model does not see it.
   * An agent's own schema replaces it for that agent's runs. Default: no run has a context.
   */
  context?: ZodSchema | undefined;
  /**
   * Asked before a run takes a decision or a message of a person. true: the run takes it. false, or an error: it is refused,
   * and nothing has happened. Runs that start with it keep it. Default: everybody with access to the server may decide.
   */
  authorize?(message: SentMessage): boolean | Promise<boolean>;
  /**
   * Guardrails for the model calls and tool calls of all agents: functions that may change or refuse them. A change is recorded with its
   * call. Runs that start with hooks keep them: a worker without hooks makes no call for them. Default: none.
   */
  hooks?: Hooks | undefined;
  /**
   * Spans and metrics by OpenTelemetry's conventions for generative AI, and Temporal's own metrics: docs/telemetry.md. true: spans and metrics,
   * without contents. Default: none. Runs that start with it keep it.
   */
  telemetry?: boolean | TelemetryOptions | undefined;
  /**
   * Takes the log of `reloop worker` and `dev` in place of stderr: a pino logger, or an object with its methods. Fields: `workflowId`, `runId`,
   * `activityType`, `activityId`, `attempt`, `taskQueue`, `err`, and with telemetry `traceId` and `spanId`.
   */
  logger?: WorkerLogger | undefined;
  /** Keys that encrypt the payloads of runs: docs/encryption.md. Overridden by RELOOP_ENCRYPTION_KEYS. If neither is set, nothing is encrypted. */
  encryption?: EncryptionOptions | undefined;
  /** Place of large payloads: a folder, or a driver of Temporal's SDK (docs/large-values.md). Default: the history. */
  storage?: StorageOptions | undefined;
  /**
   * Brings text to readers in other processes as the model writes it: `{ url: 'redis://…' }`, `nats://…`, `postgres://…`, or your own
   * channel: docs/live-text.md. Overridden by RELOOP_LIVE_URL. If neither is set, readers in other processes get text with heartbeats.
   */
  live?: LiveOption | undefined;
  /** Runs at set times, by name. `reloop schedule sync` brings them to the server. */
  schedules?: { [name: string]: ScheduleDefinition } | undefined;
  /** Evals, by name: `reloop eval` asks their cases. Checks: `reloop/evals`. */
  evals?: { readonly [name: string]: EvalDefinition } | undefined;
  /** Addresses that get the events of runs, signed. Default: none. Runs that start with them keep their names. */
  webhooks?: readonly WebhookDefinition[] | undefined;
  /** Default: TEMPORAL_TASK_QUEUE, or 'reloop'. */
  taskQueue?: string | undefined;
  /**
   * Further task queues, by name: model calls and tools with a separate limit, or with separate workers
   * (`reloop worker --queue NAME`). Default: all calls are made on `taskQueue`.
   */
  queues?: { [taskQueue: string]: QueueDefinition } | undefined;
  /**
   * The version of this project's workers, by Temporal's Worker Versioning: a run ends on the version that it started with, and `reloop deploy`
   * says which version new runs get: docs/deploying.md. RELOOP_VERSION alone does the same. Default: workers have no version.
   */
  deployment?: DeploymentDefinition | undefined;
}

/** An address that gets events of runs, by the Standard Webhooks scheme: docs/webhooks.md. */
export interface WebhookDefinition {
  /** 'waiting': a call waits for a person. The others: the run has ended so. */
  on: readonly WebhookEvent[];
  url: string;
  /** Key of the signatures: 'whsec_' and 24 to 64 bytes as base64. */
  secret: string;
  /** Recorded with runs, in the place of the URL. Default: a digest of the URL. */
  name?: string | undefined;
  /** Runs of these agents only. */
  agents?: readonly string[] | undefined;
  /** Runs that have all of these tags only. */
  tags?: readonly string[] | undefined;
  /** Address of Temporal's Web UI, for the links to runs. */
  webUi?: string | undefined;
}

/** A project whose versions the server distinguishes. For `reloop worker` and `createWorker`; `dev` and `run` have no version. */
export interface DeploymentDefinition {
  /** Default: the task queue of the runs. */
  name?: string | undefined;
  /** Version of the code, such as the tag of the image. Overridden by RELOOP_VERSION. */
  version?: string | undefined;
  /** Moves open runs to the current version between two turns, where the server announces one (1.31 and later). Default false. */
  upgradeOnContinueAsNew?: boolean | undefined;
}

/** When a worker takes a failing model for one with an outage, and how often the worker asks that model then. */
export interface BreakerOptions {
  /** Failed requests in a row. Default 5. */
  failures?: number | undefined;
  /** Time between two requests during the outage. Default '10s'. */
  probeEvery?: number | string | undefined;
}

/** Spans and metrics of a worker. */
export interface TelemetryOptions {
  /** Spans and metrics through the OpenTelemetry SDK that the process has registered. Default true. */
  opentelemetry?: boolean | undefined;
  /** Spans have questions, prompts, replies, and the inputs and outputs of tools. Default false. */
  contents?: boolean | undefined;
  /**
   * `127.0.0.1:9464`: address at which Temporal's own metrics of the worker are served for Prometheus, under `/metrics`. Overridden by
   * `reloop worker --metrics`. Default: none.
   */
  prometheus?: string | undefined;
}

/** A logger of pino, or another one with these methods. */
export type WorkerLogger = {
  [level in 'debug' | 'info' | 'warn' | 'error']: (
    fields: { [name: string]: unknown },
    message: string,
  ) => void;
};

/** A task queue beside the config's own: the calls that are made there, and how many. */
export interface QueueDefinition {
  /** Model calls: of these models, named as agents name them, or (true) of all models that no other queue lists. */
  models?: true | readonly string[] | undefined;
  /** Names of tools. */
  tools?: readonly string[] | undefined;
  /** Calls that one worker makes at a time on this queue. Default: the config's `concurrency`. */
  concurrency?: number | undefined;
  /**
   * Calls that may start in a second on this queue, by all workers together; attempts count. Each worker sends Temporal the number
   * when it polls, and the last poll counts: workers of two configs should agree.
   */
  maxPerSecond?: number | undefined;
}

/** A config that cannot be used: the message names the place and what would be right. The CLI exits with 2. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/**
 * Checked when it is loaded, not here: an agent may be defined before its tools are complete. An editor knows the prompt
 * texts of the kind.
 */
export function defineAgent<Kind extends KindName | AgentKind = 'tool-calling'>(
  agent: AgentOfKind<Kind>,
): AgentDefinition {
  return agent;
}

type AgentOfKind<Kind> = Omit<AgentDefinition, 'kind' | 'prompt'> & {
  kind?: Kind | undefined;
  prompt?: PromptTexts<Kind> | undefined;
};

/** Your own kind: how it asks, how it reads the answer. Pure functions; see {@link AgentKind}. */
export function defineKind(kind: AgentKind): AgentKind {
  return kind;
}

/** The default export of a `reloop.config.ts`. */
export function defineConfig(config: ConfigDefinition): ConfigDefinition {
  return config;
}
