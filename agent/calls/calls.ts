import type { LiveTools } from '../definition/recorded-agent.ts';
import type { Budget } from '../definition/budget.ts';
import type { HookChange } from '../definition/hooks.ts';
import type { AgentManifest, RetryPolicy } from '../definition/manifest.ts';
import type { RunOverrides } from '../start/overrides.ts';
import type { AskedState } from './asked-state.ts';
import type { ControlReport } from '../background/control-report.ts';
import type { ForNextCall } from './for-next-call.ts';
import type { Entry } from '../transcript/entries.ts';
import type { ErrorInfo, Json, ToolCall, Usage, Truncation } from '../values/vocabulary.ts';

/** Data exchanged between the workflow and its activities. JSON; recorded in history, so fields are only ever added. */

/** The run and place that record the entries before a run's first own entry. */
export interface Origin {
  runId: string;
  /** Set if it is another workflow than the reader's own. */
  workflowId?: string | undefined;
  length: number;
  digest: string;
}

export interface ResolveAgentInput {
  agent: string;
  overrides?: RunOverrides | undefined;
  /** The rest of the parent's budget; set for a sub-agent. */
  parentBudget?: Budget | undefined;
  /** The run continues a conversation, which not every kind does. */
  chatHistory?: true | undefined;
  /** The question has images, which not every kind takes. */
  images?: true | undefined;
  /** Media types of the question's files, which not every kind takes. */
  files?: string[] | undefined;
  /** Names of the values that the run brings for its prompt texts. */
  variables?: string[] | undefined;
  /** The agent takes a run over: values for the prompt that it has no place for were meant for another agent. */
  takesOver?: true | undefined;
  /** The run's calls are answered from a recording. */
  recorded?: { live?: LiveTools | undefined } | undefined;
  /** `traceparent` of the program that started the run. */
  trace?: string | undefined;
}

/** Result of a run's first activity: the pinned definition, and the server's abilities. */
export interface ResolvedAgent {
  manifest: AgentManifest;
  /** Reloop's search attributes are registered. */
  searchAttributes: boolean;
  /** The worker's config listens to the events of its runs. */
  events?: true | undefined;
  /** The worker's config has telemetry: `traceparent` of the run's place in its trace. */
  trace?: string | undefined;
  local?: LocalCall | undefined;
}

export interface CallModelInput extends ForNextCall {
  /** Number of this runAgent within its workflow. */
  scope: number;
  /** Entries that earlier calls of this scope carried, and their digest. */
  base: number;
  prev: string;
  /** The entries since. */
  delta: Entry[];
  /** Present while a scope that continues from another run has carried nothing itself. */
  origin?: Origin | undefined;
  /** A person's, in place of asking the model (`resolve` of a model call that failed). */
  reply?: string | undefined;
  /** A limit was reached: the model is asked for its answer, and whatever it says is the answer. */
  closing?: true | undefined;
  /** The prompt gets too long: the model is asked for a summary of the old turns. The next call carries the entries again. */
  compact?: true | undefined;
  /** Run inline tools within this activity; the value is the first run of the chain. */
  root?: string | undefined;
  /** Number of the first schedule of these calls. Default: 0. */
  firstN?: number | undefined;
}

/** A decided action; `observation` is there when nothing has to be run to know it. */
export interface PlannedAction {
  tool: string;
  toolInput: Json;
  toolCallId?: string | undefined;
  /** Text of the model with this action; absent if it is the reply's text. */
  log?: string | undefined;
  observation?: Json | undefined;
  /** A person has to approve it; `error`: the tool's `approval` failed with this. */
  approval?: { error?: ErrorInfo | undefined } | undefined;
  /** A person has allowed it with this input, in a run that this one is the retry of. */
  approved?: true | undefined;
  /** A person gave the input in place of the model's, in a run that this one is the retry of. */
  personsInput?: true | undefined;
  /** Digest of the input as the tool reads it. Only for a tool whose effect happens once. */
  effect?: string | undefined;
}

/** `fail`: the reply could not be read, and the agent's `handleParsingErrors` is false. */
export type TurnDecision =
  | { type: 'finish'; output: Json; log?: string | undefined; truncated?: Truncation | undefined }
  | { type: 'act'; actions: PlannedAction[] }
  /** The agent's `repeatLimit` is passed. */
  | { type: 'stop' }
  /** The reply is a summary of all turns but the last `keep`. */
  | { type: 'compact'; keep: number }
  | { type: 'fail'; error: ErrorInfo };

/** Result of the `callModel` activity. */
export interface ModelTurn extends ForNextCall {
  /** Digest of the transcript with what the call carried. The next call continues from there. */
  digest: string;
  /** The reply, cut at the first stop string. */
  text: string;
  toolCalls?: ToolCall[] | undefined;
  /** The model's reasoning before the reply, if the provider returns it: shown, but not part of the reply. */
  reasoning?: string | undefined;
  /** Data that the provider needs back with the reply, in the model adapter's format. */
  providerData?: Json | undefined;
  decision: TurnDecision;
  finishReason: string;
  /** The agent that was asked, in a run that may have several (`handoffs`). */
  agent?: string | undefined;
  /** The model that answered, of an agent with several: the adapter in the config, and the name that was sent. */
  answeredBy?: { adapter: string; model: string } | undefined;
  usage: Usage;
  warnings?: string[] | undefined;
  /** Changes that the config's hooks made to this call, and to the inputs of the calls that it decided on. */
  changes?: HookChange[] | undefined;
  /** The context was too long for the model: the request was made again with its oldest observations shortened. */
  shortened?: true | undefined;
  /** The reply to an identical request, from the worker's cache; it cost nothing. */
  cached?: true | undefined;
  /** The attempt that succeeded; absent where it was the first. */
  attempt?: number | undefined;
  /** Sent by all attempts; absent where there were none. */
  heartbeats?: number | undefined;
  /** The decided calls that ran inline: tools without effects. */
  made?: InlineCall[] | undefined;
  /** Digest of the request, so that a later reader can check whether it rebuilt the same. */
  request: string;
}

export interface ToolResult {
  output: Json;
  /**
   * `error`: the tool threw a ToolError; `invalid`: the input did not fit and the tool was not run; `deferred`: the
   * result comes from outside, and the output is the tool's text for the person who is asked; `asks`: the output is a question, whose answer
   * runs the tool again.
   */
  kind?: 'error' | 'invalid' | 'deferred' | 'asks' | undefined;
  /** Set with `invalid` only: a person approved this input, so the tool has changed since. */
  approved?: true | undefined;
  /** State of a call that asks. */
  asks?: AskedState | undefined;
  /** Token that an answer to a deferred call needs if it does not have the run's id. */
  token?: string | undefined;
  /** Model calls made inside the tool. */
  usage?: Usage | undefined;
  /** Changes that the config's hooks made: to the output, and to the model calls made inside the tool. */
  changes?: HookChange[] | undefined;
  /** The attempt that succeeded; absent where it was the first. */
  attempt?: number | undefined;
  /**
   * Time at which the server scheduled the attempt that succeeded, in milliseconds since 1970. It names the attempt; the number does not,
   * because `temporal activity reset` starts at 1 again. An inline call has the time of the model call's attempt. Absent for the first attempt of an
   * activity.
   */
  attemptScheduledAt?: number | undefined;
  /** Sent by all attempts; absent where there were none. */
  heartbeats?: number | undefined;
  /** The recording has exactly one call of this tool with this input. */
  only?: true | undefined;
  /** Result of asking `reconcile` about an earlier schedule; with `done`, `output` is that schedule's result. */
  reconciled?: 'done' | 'notDone' | 'unknown' | undefined;
  local?: LocalCall | undefined;
}

/** Facts about a local activity that history does not have, recorded with its result: the call, and a tool's input. */
export interface LocalCall {
  /** Same form as an activity's id. */
  id: string;
  input?: Json | undefined;
  ms?: number | undefined;
}

/**
 * A call whose first attempt was made with the model call that decided on it. Without a result or a final failure its activity
 * is scheduled, with the attempts that are left.
 */
export interface InlineCall {
  /** Same form as an activity's id. */
  id: string;
  ms: number;
  result?: ToolResult | undefined;
  /** `mayPass`: its attempts are used up. */
  failed?: { error: ErrorInfo; mayPass: boolean } | undefined;
  /** The attempt has failed, and counts. */
  again?: true | undefined;
}

/** The turn as it is emitted and kept: each call has its own end. */
export function withoutCalls({ made: _, ...turn }: ModelTurn): ModelTurn {
  return turn;
}

/** Data for a tool activity beside its input; sent in the header `reloop`. */
export interface ToolCallMeta {
  /** First run of the lineage. */
  root: string;
  scope: number;
  call: string;
  retry: RetryPolicy;
  timeoutMs: number;
  maxOutputChars: number;
  /** The agent that has the conversation, if it took the run over. */
  agent?: string | undefined;
  /** Stored by an earlier schedule of this call. */
  checkpoint?: Json | undefined;
  /** The checkpoint is the activity's second argument, because headers are not encrypted. */
  checkpointFollows?: true | undefined;
  /** Limit for a checkpoint, where many calls share the room. Default: `limits.checkpointBytes`. */
  checkpointBytes?: number | undefined;
  /** The call may take effect once only. */
  once?: true | undefined;
  /** A person has approved the call. */
  approved?: true | undefined;
  /** The run has a context, which its agent's manifest holds. */
  context?: true | undefined;
  /** The run started with a config that has hooks. */
  hooks?: true | undefined;
  /** Call the tool's `reconcile` about an earlier schedule of the call, in place of the tool. */
  reconcile?: true | undefined;
  /** Call the tool's `cancel`, in place of the tool: the call has ended without the result of the work that `checkpoint` names. */
  cancel?: true | undefined;
  control?: ControlReport | undefined;
}

/** Stored before a tool with `effects: 'once'` runs: from now on the call may have had its effect. */
export interface Intent {
  /** Milliseconds since 1970, by the worker's clock. */
  at: number;
  attempt: number;
}

/** Details that the runner attaches to a call's failure. */
export interface FailureDetails {
  /** Stored by the tool; the heartbeat record is lost with the last attempt. */
  checkpoint?: Json | undefined;
  /** A temporary failure, but the attempts are used up. */
  exhausted?: true | undefined;
  /** Model calls made by all attempts; of a sub-agent with a budget, its own. */
  usage?: Usage | undefined;
  /** Sent by all attempts; absent where there were none. */
  heartbeats?: number | undefined;
  /**
   * The call with `effects: 'once'` certainly had no effect. `again`: the tool did not cause it, so the call is rescheduled; `failed`: the
   * tool failed.
   */
  notDone?: 'again' | 'failed' | undefined;
  /** Attempt of a call in doubt that may still be running. */
  intent?: Intent | undefined;
  /** Type of the error of a call in doubt, if the tool itself failed or took too long. Then the attempt counts. */
  fault?: string | undefined;
  local?: LocalCall | undefined;
}

/** `2/3.1~1`: second scope, third iteration, first call, first re-schedule. Scope 0 and schedule 0 are left out. */
export function activityId(scope: number, call: string, n: number): string {
  return `${scope === 0 ? '' : `${scope}/`}${call}${n === 0 ? '' : `~${n}`}`;
}

/** Id of the activity that ends the work of a call elsewhere: `3.1~1-cancel`. It is not a schedule of the call. */
export function cancelActivityId(scope: number, call: string, n: number): string {
  return `${activityId(scope, call, n)}-cancel`;
}

/** The call of an activity's id, in whichever schedule: `2/3.1` of `2/3.1~1`. */
export function withoutSchedule(id: string): string {
  return id.replace(/~\d+$/u, '');
}

/** Number of the agent in its workflow that made the call. */
export function scopeOf(call: string): number {
  return call.includes('/') ? Number(call.slice(0, call.indexOf('/'))) : 0;
}

/** The call that asks for a summary before the model call of a step: `3-compaction`. */
export function compactionBefore(step: string): string {
  return `${step}-compaction`;
}

/** Returns true for a reply that is a turn of the run: not an answer at a limit, and not a summary. */
export function isIteration({ turn, closing }: { turn: ModelTurn; closing?: boolean | undefined }): boolean {
  return closing !== true && turn.decision.type !== 'compact';
}

/** The inverse of {@link activityId}; undefined for ids that are not ours. */
export function parseActivityId(id: string): { scope: number; call: string; n: number } | undefined {
  const match = /^(?:(\d+)\/)?([a-z]+|\d+(?:\.\d+|-compaction)?)(?:~(\d+))?$/u.exec(id);
  if (match === null) return undefined;
  return { scope: Number(match[1] ?? 0), call: match[2] ?? '', n: Number(match[3] ?? 0) };
}
