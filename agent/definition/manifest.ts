import type { Budget } from './budget.ts';
import type { Price } from './price.ts';
import type { RunContext } from './run-context.ts';
import type { SkillManifest } from './skills.ts';
import type { WebhookRoute } from './webhook-route.ts';
import type { Json } from '../values/vocabulary.ts';

/** A JSON Schema object. */
export type JsonSchema = { [key: string]: Json };

/** Waits between attempts: `initialMs`, then times `backoff`, at most `maximumMs`. */
export interface RetryPolicy {
  maxAttempts: number;
  initialMs: number;
  backoff: number;
  maximumMs: number;
}

/**
 * Options that a definition gives and a manifest records are declared here, once, with the text for users: definitions
 * take them as {@link Options}, and config/ holds a check and a default for each, which the compiler compares with
 * these types. They are not zod types because a manifest is read for years, by the workflow sandbox too.
 */
export type Options<T> = { [K in keyof T]?: T[K] | undefined };

/** Options of a tool that are recorded as given. */
export interface ToolRules {
  /**
   * Effect of a second run of the same call: none at all ('none'), nothing more ('idempotent', the default), or the
   * effect once more ('once'). If it is unknown whether a 'once' call took effect, a person is asked.
   */
  effects: 'none' | 'idempotent' | 'once';
  /** Reaction when the attempts are used up: wait for a person (default), give the model the error, or fail the run. */
  onFailure: 'ask' | 'observe' | 'fail';
  /** The observation is the run's output. */
  returnDirect: boolean;
  /** Longer output is cut, with a visible marker. Default 100,000 characters. */
  maxOutputChars: number;
}

/** Longest wait for a person, and the reaction at its end: an observation for the model, or the run fails. */
export interface AskTimeout {
  afterMs: number;
  unanswered: 'observe' | 'fail';
}

/** The part of a tool that the workflow and the prompt need; the code stays with the worker. */
export interface ToolManifest extends ToolRules {
  name: string;
  description: string;
  /** null: the tool takes one plain string. */
  inputSchema: JsonSchema | null;
  timeoutMs: number;
  retry: RetryPolicy;
  /** The tool has `reconcile`, for calls in doubt. */
  reconciles?: true | undefined;
  /** An activity that another worker runs, in whatever language: no runner of ours is around it. */
  external?: true | undefined;
  /** Longest silence of an external tool that heartbeats. */
  heartbeatTimeoutMs?: number | undefined;
  /** Task queue of its calls. Absent: that of the run. */
  taskQueue?: string | undefined;
  /** A sub-agent: the tool is a run of this agent. */
  agent?: string | undefined;
  /** No code runs: the conversation is handed over to this agent, which continues the run. */
  handoff?: string | undefined;
  /** No code runs: a person is asked, and the answer is the result. */
  human?: true | undefined;
  /** No code runs: the caller of the run carries the call out, and sends the result. */
  client?: true | undefined;
  /** The prompt does not show the tool: the model finds it with `search_tools`. */
  hidden?: true | undefined;
  /** The first attempt runs in the activity of the model call. */
  inline?: true | undefined;
  /** The model gets a ticket in place of the result, which comes as a message later. */
  background?: true | undefined;
  /** The tool asks about background calls, waits for them, and cancels them. */
  controls?: true | undefined;
  /** A person has to approve its calls: all of them, or those that the tool's function chooses. */
  approval?: 'always' | 'sometimes' | undefined;
  /** The only people who may end a wait for approval. undefined: everybody. */
  approvers?: string[] | undefined;
  /** Overrides the agent's. */
  askTimeout?: AskTimeout | undefined;
}

/**
 * Part of a conversation that a run sees: all of it, the last `turns` (a question and its answer), the last turns that
 * fit into `tokens` (four characters each), or a summary by the model and the turns since.
 */
export type MemoryManifest =
  | { kind: 'buffer' }
  | { kind: 'window'; turns: number }
  | { kind: 'tokens'; tokens: number }
  | { kind: 'summary'; tokens: number };

/** Search over the tools of an agent that its prompt does not show. */
export interface ToolSearchManifest {
  /** Tools that one search returns at most. */
  results: number;
}

/** Rule by which a long run's own turns become a summary. */
export interface CompactionManifest {
  /** Context window of the model, in tokens. */
  window: number;
  /** The share of the window that a prompt may take before old turns become a summary. Default 0.8. */
  at: number;
  /** Number of the last turns that stay unchanged; fewer if they are long. Default 6. */
  keep: number;
}

/** Parameters of every model request of an agent; absent ones are not sent. */
export interface RequestOptions {
  /** Default 'chat'; 'completions' for the legacy API. */
  api: 'chat' | 'completions';
  /** Default true. */
  stream: boolean;
  /** false: the model takes no images. A question with images is refused at the start; earlier images are described in words. */
  images?: boolean | undefined;
  /** false: the model takes no files but texts. A question with a PDF or audio is refused at the start; earlier ones are described in words. */
  files?: boolean | undefined;
  temperature?: number | undefined;
  maxTokens?: number | undefined;
  topP?: number | undefined;
  frequencyPenalty?: number | undefined;
  presencePenalty?: number | undefined;
  logitBias?: { [token: string]: number } | undefined;
  /** Further fields of the request body, sent as they are. */
  extra?: { [name: string]: Json } | undefined;
}

export interface RequestParams extends RequestOptions {
  requestTimeoutMs: number;
}

/** Answers of a run that a limit stopped, by the limit. `maxIterations` is for `repeatLimit` as well. */
export interface StopMessages {
  maxIterations?: string | undefined;
  maxExecutionTime?: string | undefined;
  budget?: string | undefined;
}

/** Settings that the loop obeys. */
export interface LoopOptions {
  /** Turns the loop may take; null for no limit. Default 15. */
  maxIterations: number | null;
  /** true (default): the model learns that its reply could not be read; a text: the model gets this text; false: the run fails. */
  handleParsingErrors: boolean | string;
  /** The model sees the last n steps. Default -1: all. */
  trimIntermediateSteps: number;
  /** When a limit is reached, 'force' (default) ends the run with a fixed sentence, 'generate' asks the model for its answer. */
  earlyStopping?: 'force' | 'generate' | undefined;
  /**
   * Answer of a run that a limit stopped with 'force': one text for every limit, or a text for each. Default: LangChain's fixed
   * sentence for turns and time, and a sentence that names the budget.
   */
  stopMessage?: string | StopMessages | undefined;
  /**
   * The n-th identical action in a row is not run: the model gets a note. One more stops the run as max_iterations does.
   * Off by default.
   */
  repeatLimit?: number | undefined;
  /**
   * Reaction to a limit (turns, time, budget, repeats): end the run ('stop', the default), or wait for a person, who raises the
   * limit, gives the answer, or lets the run end ('ask').
   */
  onLimit?: 'stop' | 'ask' | undefined;
  /**
   * When the attempts of a model call are used up: wait for a person, as for a tool ('ask', the default), or fail the run
   * ('fail').
   */
  onModelFailure?: 'ask' | 'fail' | undefined;
  /** Tokens and money, looked at before each model call. Off by default. */
  budget?: Budget | undefined;
}

/** A further model of an agent: as `adapter`, `model` and `price` of the manifest. */
export interface Fallback {
  adapter: string;
  model: string;
  price?: Price | undefined;
  /** Types of failures after which it is asked. Absent: those by which another model may answer. */
  on?: readonly string[] | undefined;
}

/**
 * An agent, resolved once at the start of a run and pinned for its whole lineage: nothing a deploy changes in a
 * definition reaches a run that has started.
 */
export interface AgentManifest extends LoopOptions {
  /** The agent took the conversation over from another agent of the run. */
  tookOver?: true | undefined;
  /** The config has `authorize`, which is asked about each decision and message. */
  authorizes?: true | undefined;
  /** The config has `hooks`, which look at each model call and tool call. */
  hooks?: true | undefined;
  /** Version of the loop that this run keeps to. */
  loopVersion: 1;
  name: string;
  kind: string;
  /** Texts of the kind's prompt; their names are the kind's. */
  prompt: { [name: string]: string };
  /** Name of the model adapter in the worker's config, and the model's own name. */
  adapter: string;
  model: string;
  /** Price of the model when the run started; absent if the config has none. */
  price?: Price | undefined;
  /** Models that are asked after a failure of the one before, in this order. Absent: none. */
  fallbacks?: readonly Fallback[] | undefined;
  params: RequestParams;
  stop: string[];
  /** Output of a run that a limit stopped, where `stopMessage` has no other. */
  stoppedOutput: string;
  tools: ToolManifest[];
  /** null: no limit. */
  maxExecutionTimeMs: number | null;
  /** Absent: 'buffer'. */
  memory?: MemoryManifest | undefined;
  /** Absent: the model sees all turns of the run. */
  compaction?: CompactionManifest | undefined;
  /** Absent: the prompt has all tools. */
  toolSearch?: ToolSearchManifest | undefined;
  /** Absent: the agent has none. */
  skills?: readonly SkillManifest[] | undefined;
  /** JSON Schema that the answer has to fit. */
  output?: JsonSchema | undefined;
  /** The agent has its own parser, in the worker's config. */
  parser?: true | undefined;
  modelRetry: RetryPolicy;
  /** Task queue of the model calls. Absent: that of the run. */
  modelQueue?: string | undefined;
  /** The config has a `breaker`, or `limits` of a model of the agent, or a budget of `budgets` that counts its calls: attempts of a model call may be held back, any number of times. */
  holdsBack?: true | undefined;
  /** When the attempts of a model call are used up for a failure that may pass; absent: 'fail'. */
  onModelFailure?: 'ask' | 'fail' | undefined;
  /** Absent: a person is waited for as long as it takes. */
  askTimeout?: AskTimeout | undefined;
  /** Facts that the run's program gave. */
  context?: RunContext | undefined;
  /** Customer or user that the run is for. */
  tenant?: string | undefined;
  /** 1 goes first. Absent: 3. */
  priority?: number | undefined;
  /** Texts to filter runs by. */
  tags?: readonly string[] | undefined;
  /** Webhooks that the run's events are sent to. Absent: none. */
  webhooks?: readonly WebhookRoute[] | undefined;
}
