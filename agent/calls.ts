import type { LiveTools } from './backtest/recorded-agent.ts';
import type { Budget } from './budget.ts';
import type { AgentManifest, RetryPolicy } from './manifest.ts';
import type { RunOverrides } from './overrides.ts';
import type { Entry, ReplyEntry } from './transcript/entries.ts';
import type { ErrorInfo, Json, ToolCall, Usage } from './vocabulary.ts';

/** What crosses between the workflow and its activities. JSON; recorded in history, so fields are only ever added. */

/** Where the entries before a run's first own one are recorded. */
export interface Origin {
  runId: string;
  /** Only where it is another workflow than the reader's own. */
  workflowId?: string | undefined;
  length: number;
  digest: string;
}

export interface ResolveAgentInput {
  agent: string;
  overrides?: RunOverrides | undefined;
  /** Of a sub-agent: what its parent has left. */
  parentBudget?: Budget | undefined;
  /** The run goes on with a conversation, which not every kind does. */
  chatHistory?: true | undefined;
  /** The question has images, which not every kind takes. */
  images?: true | undefined;
  /** Names of the values that the run brings for its prompt texts. */
  variables?: string[] | undefined;
  /** The run's calls are answered from a recording. */
  recorded?: { live?: LiveTools | undefined } | undefined;
}

/** Recorded by a run's first activity: the definition, pinned, and what the server can do. */
export interface ResolvedAgent {
  manifest: AgentManifest;
  /** Reloop's search attributes are registered. */
  searchAttributes: boolean;
  /** The worker's config listens to the events of its runs. */
  events?: true | undefined;
  local?: LocalCall | undefined;
}

export interface CallModelInput {
  /** Number of this runAgent within its workflow. */
  scope: number;
  /** Entries that earlier calls of this scope carried, and their digest. */
  base: number;
  prev: string;
  /** The entries since. */
  delta: Entry[];
  /** Present while a scope that goes on from another run has carried nothing itself. */
  origin?: Origin | undefined;
  /** A person's, in place of asking the model (`resolve` of a model call that failed). */
  reply?: string | undefined;
  /** A limit was reached: the model is asked for its answer, and whatever it says is the answer. */
  closing?: true | undefined;
  /** Of an agent with a `repeatLimit`: what it decided on last. */
  repeat?: Repeat | undefined;
  /** Calls of inline tools are to be made with it, as those of the lineage with this first run. */
  root?: string | undefined;
}

/** The digest of the latest action, and how many times in a row it was decided on. */
export interface Repeat {
  action: string;
  times: number;
}

/** A decided action; `observation` is there when nothing has to be run to know it. */
export interface PlannedAction {
  tool: string;
  toolInput: Json;
  toolCallId?: string | undefined;
  /** Left out where it is the reply's text. */
  log?: string | undefined;
  observation?: Json | undefined;
  /** A person has to allow it; `error`: why nobody could say whether one has to. */
  approval?: { error?: ErrorInfo | undefined } | undefined;
}

/** `fail`: the reply could not be read, and the agent does not want the model to be told. */
export type TurnDecision =
  | { type: 'finish'; output: Json; log?: string | undefined }
  | { type: 'act'; actions: PlannedAction[] }
  /** The agent's `repeatLimit` is passed. */
  | { type: 'stop' }
  | { type: 'fail'; error: ErrorInfo };

/** Result of the `callModel` activity. */
export interface ModelTurn {
  /** Digest of the transcript with what the call carried; the next call goes on from there. Absent in old histories. */
  digest?: string | undefined;
  /** The reply, cut at the first stop string. */
  text: string;
  toolCalls?: ToolCall[] | undefined;
  /** What the model thought before it, where the provider says so: shown, but no part of the reply. */
  reasoning?: string | undefined;
  /** What the provider wants back with the reply, in the words of the model adapter. */
  providerData?: Json | undefined;
  decision: TurnDecision;
  finishReason: string;
  usage: Usage;
  warnings?: string[] | undefined;
  /** The context was too long for the model: the request was made again with its oldest observations shortened. */
  shortened?: true | undefined;
  /** The reply to an identical request, from the worker's cache; it cost nothing. */
  cached?: true | undefined;
  /** The attempt that succeeded; absent where it was the first. */
  attempt?: number | undefined;
  /** Sent by all attempts; absent where there were none. */
  heartbeats?: number | undefined;
  /** Of an agent with a `repeatLimit`: what the next call has to know. */
  repeat?: Repeat | undefined;
  /** Of the decided calls, those of inline tools without effects. */
  made?: MadeCall[] | undefined;
  /** Digest of the request, so that a later reader can tell whether it rebuilt the same. */
  request: string;
}

/** A reply that called tools, as prompts repeat it. What the model thought goes along only where its provider wants it back. */
export function replyEntry(
  { text, toolCalls, reasoning, providerData }: Omit<ModelTurn, 'decision'>,
  call: string,
): ReplyEntry | undefined {
  if (toolCalls === undefined) return undefined;
  const reply = { type: 'reply', call, text, toolCalls } as const;
  return providerData === undefined ? reply : { ...reply, reasoning, providerData };
}

/** Result of a tool activity. */
export interface ToolResult {
  output: Json;
  /**
   * `error`: the tool said so (ToolError); `invalid`: the input did not fit and the tool was not run; `deferred`: the result
   * comes from outside, and the output is what the tool says to who is asked.
   */
  kind?: 'error' | 'invalid' | 'deferred' | undefined;
  /** Of a deferred call: what somebody who answers without knowing the run has to bring. */
  token?: string | undefined;
  /** Model calls made inside the tool. */
  usage?: Usage | undefined;
  /** The attempt that succeeded; absent where it was the first. */
  attempt?: number | undefined;
  /** Sent by all attempts; absent where there were none. */
  heartbeats?: number | undefined;
  /** From a recording that has no other call of that tool and input. */
  only?: true | undefined;
  /** Of a schedule that asked what became of an earlier one: with `done`, `output` is its result. */
  reconciled?: 'done' | 'notDone' | 'unknown' | undefined;
  local?: LocalCall | undefined;
}

/** What history does not say of a local activity, which records it with its result: whose it is, and of a tool its input. */
export interface LocalCall {
  /** As an activity's id would be. */
  id: string;
  input?: Json | undefined;
  /** How long it took. */
  ms?: number | undefined;
}

/**
 * A call whose first attempt was made with the model call that decided on it. Without a result or a final failure its activity
 * is scheduled, with the attempts that are left.
 */
export interface MadeCall {
  /** As an activity's id would be. */
  id: string;
  /** How long it took. */
  ms: number;
  result?: ToolResult | undefined;
  /** `mayPass`: its attempts are used up. */
  failed?: { error: ErrorInfo; mayPass: boolean } | undefined;
  /** The attempt has failed, and counts. */
  again?: true | undefined;
}

/** A turn as it is told and kept: how its calls ended is said of each. */
export function withoutCalls({ made: _, ...turn }: ModelTurn): ModelTurn {
  return turn;
}

/** What a tool activity needs beside its input; travels in the header `reloop`. */
export interface ToolCallMeta {
  /** First run of the lineage. */
  root: string;
  scope: number;
  call: string;
  retry: RetryPolicy;
  timeoutMs: number;
  maxOutputChars: number;
  /** Stored by an earlier schedule of this call. */
  checkpoint?: Json | undefined;
  /** The call may take effect once only. */
  once?: true | undefined;
  /** Not the tool itself is to run: it is asked what became of an earlier schedule of the call. */
  reconcile?: true | undefined;
}

/** Stored before a tool of `effects: 'once'` is run: from now on nobody can say that the call has done nothing. */
export interface Intent {
  /** Milliseconds since 1970, by the worker's clock. */
  at: number;
  attempt: number;
}

/** Signal that brings an intent to its run. The heartbeat, which has it too, may be wiped out by a person; a history is not. */
export const CALL_INTENT = 'callIntent';

export interface CallIntent {
  activityId: string;
  intent: Intent;
}

/** The one heartbeat record of every activity; the fields an activity does not use are absent. */
export interface Heartbeat {
  /** Attempts that failed by themselves; a worker's death is none. */
  failures?: number | undefined;
  /** Message of the last such failure. */
  lastError?: string | undefined;
  /** The last attempt that did not vanish with its worker: it failed by itself, or its worker was told to end. */
  endedAt?: number | undefined;
  /** Attempts that met a worker without the tool. */
  missed?: number | undefined;
  /** Of a call that may take effect once only. */
  intent?: Intent | undefined;
  /** The last attempt of such a call of which it is certain that it did nothing. */
  notDone?: number | undefined;
  checkpoint?: Json | undefined;
  /** Model calls made by attempts that failed. */
  usage?: Usage | undefined;
  /** Sent in all attempts, this one among them: each is billed on Temporal Cloud. */
  heartbeats?: number | undefined;
  progress?: string | undefined;
  /** Reply text so far, and the end of what the model has thought so far. */
  text?: string | undefined;
  reasoning?: string | undefined;
}

/** What the runner attaches to a call's failure. */
export interface FailureDetails {
  /** Stored by the tool; the heartbeat record is lost with the last attempt. */
  checkpoint?: Json | undefined;
  /** The failure is one that may pass, but its attempts are used up. */
  exhausted?: true | undefined;
  /** Model calls made by all attempts; of a sub-agent with a budget, its own. */
  usage?: Usage | undefined;
  /** Sent by all attempts; absent where there were none. */
  heartbeats?: number | undefined;
  /** Of a call that may take effect once only: it certainly has not; `again`: nor was that its own fault. */
  notDone?: 'again' | 'failed' | undefined;
  /** Of such a call that is in doubt: an attempt that may be running still. */
  intent?: Intent | undefined;
  local?: LocalCall | undefined;
}

/** `2/3.1~1`: second scope, third iteration, first call, first re-schedule. Scope 0 and schedule 0 are left out. */
export function activityId(scope: number, call: string, n: number): string {
  return `${scope === 0 ? '' : `${scope}/`}${call}${n === 0 ? '' : `~${n}`}`;
}

/** The call of an activity's id, in whichever schedule: `2/3.1` of `2/3.1~1`. */
export function withoutSchedule(id: string): string {
  return id.replace(/~\d+$/u, '');
}

/** Which of a workflow's agents a call is of. */
export function scopeOf(call: string): number {
  return call.includes('/') ? Number(call.slice(0, call.indexOf('/'))) : 0;
}

/** The inverse of {@link activityId}; undefined for ids that are not ours. */
export function parseActivityId(id: string): { scope: number; call: string; n: number } | undefined {
  const match = /^(?:(\d+)\/)?([a-z]+|\d+(?:\.\d+)?)(?:~(\d+))?$/u.exec(id);
  if (match === null) return undefined;
  return { scope: Number(match[1] ?? 0), call: match[2] ?? '', n: Number(match[3] ?? 0) };
}

/**
 * `1.1/2.1`, call 2.1 of the sub-agent that call 1.1 runs, as its parts: each but the last is a run below the one before.
 * A number alone is the scope of what follows (`1/3.1`), or at the end a model call (`1.1/3`).
 */
export function callPath(call: string): string[] {
  const path: string[] = [];
  let scope = '';
  const parts = call.split('/');
  parts.forEach((part, index) => {
    if (/^\d+$/u.test(part) && scope === '' && index < parts.length - 1) scope = `${part}/`;
    else if (/^\d+(?:\.\d+(?:~\d+)?)?$/u.test(part)) {
      path.push(scope + part);
      scope = '';
    }
  });
  return path;
}
