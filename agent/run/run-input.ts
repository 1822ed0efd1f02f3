import type { Origin } from '../calls/calls.ts';
import type { DoneCall, Restart } from '../calls/restart.ts';
import type { Budget } from '../definition/budget.ts';
import type { AgentManifest } from '../definition/manifest.ts';
import type { LiveTools } from '../definition/recorded-agent.ts';
import { type Counters, freshCounters } from '../limits/counters.ts';
import type { DecisionReceipt } from '../rules/decisions.ts';
import type { RunMessageReceipt } from '../rules/run-messages.ts';
import { type FreshStart, isRecordedStart, readRunStart } from '../start/run-start.ts';
import type { Entry } from '../transcript/entries.ts';
import { isObject } from '../values/json-object.ts';

/**
 * Input of `agentRun` that Reloop itself writes; people start runs with a `RunStart`. A fresh start has an agent and a question.
 * Continue-as-new, rewind, fork, and retry have the pinned manifest and a reference to the recorded transcript. The bytes of images and files are
 * separate arguments after this one: the workflow does not read them.
 */
export interface AgentRunInput {
  agent: string;
  /** Recorded run whose tool calls answer those of this run, in a backtest. */
  recorded?: RecordedSource | undefined;
  question?: FreshStart['question'] | undefined;
  overrides?: FreshStart['overrides'];
  /** Name of the session that the question is part of. */
  session?: string | undefined;
  /** The rest of the parent's budget; set for a sub-agent. */
  parentBudget?: Budget | undefined;
  /** Run id of the first run of the lineage. For a sub-agent: the root of its parent, and the call. */
  root?: string | undefined;
  /** The parent's call that runs this sub-agent. */
  caller?: string | undefined;
  /** Number of the question in a batch. The run reports its waits to the batch, its parent. */
  batchRow?: string | undefined;
  /** The agent that has the conversation. */
  manifest?: AgentManifest | undefined;
  /** Other agents that had the conversation before. */
  agents?: AgentManifest[] | undefined;
  searchAttributes?: boolean | undefined;
  events?: true | undefined;
  /** Name of the person who started the run, as the sender said. */
  by?: string | undefined;
  /** `traceparent` of the program that started the run; of a run that continues, the pinned one. */
  trace?: string | undefined;
  /** The transcript to continue. */
  from?: CarriedTranscript | undefined;
  /** Entries that no model call has carried yet. */
  pending?: Entry[] | undefined;
  counters?: Counters | undefined;
  /** Messages to the run before its start, or that the earlier run did not deliver. The first model call carries them. */
  said?: string[] | undefined;
  /** Workflow id of the earlier run of a sub-agent whose call is made again. */
  insteadOf?: string | undefined;
  /** The restart that started this run. */
  restart?: Restart | undefined;
  /** Number of the first schedule, and of the first wait, of each call. After a restart: higher than those of dropped steps. Default: 0. */
  firstN?: number | undefined;
  /** Effects of dropped steps. A person is asked before such a call is made again. */
  done?: DoneCall[] | undefined;
  /** Decisions and messages that earlier executions have taken lately: see `TakenWords`. */
  takenWords?: TakenWord[] | undefined;
}

/** The place up to which a run continues another one's transcript. */
export interface CarriedTranscript extends Origin {
  /** Entries that the model still sees, without agents, if they are small enough. */
  entries?: Entry[];
  /** Keys of the models of the transcript's agents, if they have several. */
  models?: string[];
}

/** A decision or message of a person. `at`: time of the handler, in milliseconds since 1970. `receipt`: what the sender got or will get. */
export interface TakenWord {
  updateId: string;
  at: number;
  receipt: DecisionReceipt | RunMessageReceipt;
}

/** The recorded run that answers the calls of a backtest's run. */
export interface RecordedSource extends RecordedRunRef {
  live?: LiveTools | undefined;
  /** People's messages to the recorded run, to be repeated. */
  said?: SaidAgain[] | undefined;
  /** Number of answers so far, by the digest of tool and input. */
  taken?: { [call: string]: number } | undefined;
}

export interface RecordedRunRef {
  workflowId: string;
  runId: string;
}

/** A person's message to a recorded run, and the step whose model call carried it. */
export interface SaidAgain {
  step: number;
  text: string;
}

/** Reads the recorded input of a run; undefined for another workflow's input. The input of a refused start has no question. */
export function asRunInput(value: unknown): AgentRunInput | undefined {
  if (!isObject(value) || typeof value['agent'] !== 'string') return undefined;
  const run = value as unknown as AgentRunInput; // it has the required field
  if (isRecordedStart(run) || (!('input' in run) && run.question === undefined)) return run;
  try {
    return readRunStart(run, []);
  } catch {
    return { agent: run.agent };
  }
}

/** Returns true for a run that continues no other run. */
export function isFreshStart({ from, restart }: AgentRunInput): boolean {
  return from === undefined && restart === undefined;
}

/** Returns the last step whose model call is recorded, or is part of the input. */
export function lastStepOf({ counters, from, restart }: AgentRunInput): number {
  const isNext = from !== undefined && restart?.turn === undefined;
  return (counters?.iterations ?? 0) + (isNext ? 1 : 0);
}

/** Returns the counters of a run that starts at `nowMs`. After a rewind, fork or retry, the time limit resumes at the time already used at that step. */
export function startCounters({ counters, restart }: AgentRunInput, nowMs: number): Counters {
  const fresh = freshCounters(nowMs);
  if (counters === undefined || restart === undefined) return counters ?? fresh;
  return { ...counters, startedAtMs: fresh.startedAtMs - restart.elapsedMs, waitedMs: 0 };
}

/** State of a run before one of its model calls. A restarted run starts with this state. */
export interface RestartPoint {
  /** The transcript before the model call. */
  from: CarriedTranscript;
  /** Entries that the model call adds to the transcript. */
  pending: Entry[];
  counters: Pick<Counters, 'iterations' | 'usage' | 'repeat' | 'size' | 'approved' | 'allowance'>;
  /** The agent that has the conversation at the step, in a run with handoffs. */
  agent?: string | undefined;
  /** Milliseconds of the run's time limit that were used. */
  elapsedMs: number;
}

/** Name of the activity with which a live run reads its rewind point. */
export const REWIND_POINT = 'rewindPoint';

/** Result of the activity: the state with which the run continues. */
export interface RewindPoint extends RestartPoint {
  /** Effects of all dropped steps, those of earlier rewinds included. */
  done: DoneCall[];
  /** Number of the first schedule of each call after the rewind. */
  firstN: number;
}
