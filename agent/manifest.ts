import type { Json } from './vocabulary.ts';

/** A JSON Schema object. */
export type JsonSchema = { [key: string]: Json };

/** Waits between attempts: `initialMs`, then times `backoff`, at most `maximumMs`. */
export interface RetryPolicy {
  maxAttempts: number;
  initialMs: number;
  backoff: number;
  maximumMs: number;
}

/** What the workflow and the prompt need to know of a tool; the code stays with the worker. */
export interface ToolManifest {
  name: string;
  description: string;
  /** null: the tool takes one plain string. */
  inputSchema: JsonSchema | null;
  timeoutMs: number;
  retry: RetryPolicy;
  effects: 'none' | 'idempotent' | 'once';
  onFailure: 'ask' | 'observe' | 'fail';
  returnDirect: boolean;
  maxOutputChars: number;
  /** An activity that another worker runs, in whatever language: no runner of ours is around it. */
  external?: true;
  /** Of an external tool that heartbeats: how long it may be silent. */
  heartbeatTimeoutMs?: number;
  /** Task queue of a tool that another worker runs. */
  taskQueue?: string;
  /** A sub-agent: the tool is a run of this agent. */
  agent?: string;
}

/**
 * How much of a conversation a run is shown: all of it, the last `turns` (a question and its answer), the last turns that
 * fit into `tokens` (taken as four characters each), or a summary that the model keeps up, and the turns since.
 */
export type MemoryManifest =
  | { kind: 'buffer' }
  | { kind: 'window'; turns: number }
  | { kind: 'tokens'; tokens: number }
  | { kind: 'summary'; tokens: number };

/** Parameters of every model request of an agent; absent ones are not sent. */
export interface RequestParams {
  api: 'chat' | 'completions';
  stream: boolean;
  temperature?: number;
  maxTokens?: number;
  topP?: number;
  frequencyPenalty?: number;
  presencePenalty?: number;
  logitBias?: { [token: string]: number };
  requestTimeoutMs: number;
  /** Further body fields, sent as they are. */
  extra?: { [key: string]: Json };
}

/**
 * An agent, resolved once at the start of a run and pinned for its whole lineage: nothing a deploy changes in a
 * definition reaches a run that has begun.
 */
export interface AgentManifest {
  /** What the loop does with it: 1 looked at the time limit between turns only; 3 records that a call waits. */
  loopVersion: 1 | 2 | 3;
  name: string;
  kind: string;
  /** Texts of the kind's prompt; their names are the kind's. */
  prompt: { [name: string]: string };
  /** Name of the model adapter in the worker's config, and the model's own name. */
  adapter: string;
  model: string;
  params: RequestParams;
  stop: string[];
  /** Output of a run that a limit stopped. */
  stoppedOutput: string;
  tools: ToolManifest[];
  /** null: no limit. */
  maxIterations: number | null;
  maxExecutionTimeMs: number | null;
  /** true: tell the model; false: fail the run; text: tell the model this. */
  handleParsingErrors: boolean | string;
  /** The model sees the last n steps; 0 or less: all. */
  trimIntermediateSteps: number;
  /** What a limit does; absent: 'force'. */
  earlyStopping?: 'force' | 'generate';
  /** The n-th identical action in a row is not run but told to the model, the next one stops the run. */
  repeatLimit?: number;
  /** Absent: 'buffer'. */
  memory?: MemoryManifest;
  /** JSON Schema that the answer has to fit. */
  output?: JsonSchema;
  /** The agent reads replies with a parser of its own, which the worker's config has. */
  parser?: true;
  modelRetry: RetryPolicy;
  /** When the attempts of a model call are used up for a failure that may pass; absent: 'fail'. */
  onModelFailure?: 'ask' | 'fail' | undefined;
}
