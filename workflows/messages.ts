import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { RecordedSource } from './backtest-messages.ts';
import { type Content, contentText } from '../agent/values/content.ts';
import { CALL_INTENT, type Origin } from '../agent/calls/calls.ts';
import type { RunSignals } from '../agent/run/run-signals.ts';
import type { Budget } from '../agent/definition/budget.ts';
import type { FreshStart } from '../agent/start/run-start.ts';
import type { WaitingCall } from '../agent/rules/waiting.ts';
import type { Counters } from '../agent/limits/counters.ts';
import type { AgentManifest, MemoryManifest } from '../agent/definition/manifest.ts';
import { type DecisionName, decisionNames } from '../agent/rules/decisions.ts';
import type { DoneCall, Restart } from '../agent/calls/restart.ts';
import { type RunMessageName, runMessageNames } from '../agent/rules/run-messages.ts';
import type { Entry } from '../agent/transcript/entries.ts';
import type { RunResult } from '../agent/run/run-result.ts';
import type { RunStatus, Usage } from '../agent/values/vocabulary.ts';

export {
  BACKTEST,
  BACKTEST_RUN,
  type BacktestInput,
  type RecordedSource,
  backtestId,
} from './backtest-messages.ts';
export { fixedAttributes, sessionAttributes } from './web-ui/run-attributes.ts';
export type { DecisionData } from '../agent/rules/gate.ts';
export {
  AGENT_SESSION,
  type SessionReceipt,
  answeredSignal,
  clearUpdate,
  sendSignal,
  sendUpdate,
} from './session-messages.ts';

/** Everything a client says to a run, and what a run starts from and ends with. */

export const AGENT_RUN = 'agentRun';

/** How `reloop list` and the Web UI show a run; part of its start. */
export function runLabels(agent: string, question: Content) {
  const input = contentText(question);
  return {
    memo: { agent, input: input.slice(0, 200) },
    staticSummary: `${agent}: ${input.slice(0, 160)}`,
  };
}

/**
 * The input of `agentRun` as Reloop itself writes it; people start runs with a `RunStart`. A fresh start has an agent and a
 * question; continue-as-new, rewind, fork and retry have the pinned manifest and a pointer to where the transcript so far
 * is recorded. The bytes of an image are an argument of their own, after this one: the workflow does not read them.
 */
export interface AgentRunInput {
  agent: string;
  /** The run whose tool calls answer those of this one: nothing with an effect is run. */
  recorded?: RecordedSource | undefined;
  question?: FreshStart['question'] | undefined;
  overrides?: FreshStart['overrides'];
  /** Name of the session that the question is part of. */
  session?: string | undefined;
  /** Of a sub-agent: what its parent has left. */
  parentBudget?: Budget | undefined;
  /** First run of the lineage; a sub-agent's is its parent's, and the call. */
  root?: string | undefined;
  /** The parent's call that a sub-agent is. */
  caller?: string | undefined;
  manifest?: AgentManifest | undefined;
  searchAttributes?: boolean | undefined;
  events?: true | undefined;
  /** `entries`: what the model still sees, where that is small enough to be carried. */
  from?: (Origin & { entries?: Entry[] }) | undefined;
  /** Entries that no model call has carried yet. */
  pending?: Entry[] | undefined;
  counters?: Counters | undefined;
  /** What people say to the run before it begins, or have said to the one before: its first model call carries it. */
  said?: string[] | undefined;
  /** Of a sub-agent whose call is made again: workflow id of the run before it. */
  insteadOf?: string | undefined;
  /** The run does steps of another one again. */
  restart?: Restart | undefined;
  /** Number of the first schedule, and of the first wait, of each call. A run that does steps again counts on from the dropped ones. Default: 0. */
  firstN?: number | undefined;
  /** Calls with an effect that were made in steps that are dropped: they are not made again unasked. */
  done?: DoneCall[] | undefined;
}

/** A run's result as its workflow records it. */
export interface RecordedResult extends RunResult {
  /** How the agent keeps a conversation: for the session around the run. */
  memory?: MemoryManifest | undefined;
}

export interface DecisionReceipt {
  call: string;
  n: number;
  decision: DecisionName;
  /** An answer by token to a call that still runs: it is used if the call defers with that token, and dropped otherwise. */
  kept?: true | undefined;
}

type DecisionUpdate = ReturnType<typeof defineUpdate<DecisionReceipt, [unknown?]>>;

/** One update per decision, named as a person picks it in the Web UI. */
export const decisionUpdates = Object.fromEntries(
  decisionNames.map((name) => [name, defineUpdate<DecisionReceipt, [unknown?]>(name)]),
) as { readonly [N in DecisionName]: DecisionUpdate }; // one of each name

export interface RunMessageReceipt {
  message: RunMessageName;
}

type RunMessageUpdate = ReturnType<typeof defineUpdate<RunMessageReceipt, [unknown?]>>;

/** What a person says to a run as a whole: one update each. */
export const runMessageUpdates = Object.fromEntries(
  runMessageNames.map((name) => [name, defineUpdate<RunMessageReceipt, [unknown?]>(name)]),
) as { readonly [N in RunMessageName]: RunMessageUpdate }; // one of each name

export interface RunState {
  agent: string;
  status: RunStatus;
  iterations: number;
  /** Ids of the tool calls under way. */
  running: string[];
  waiting: WaitingCall[];
  usage: Usage;
}

export const childWaitingSignal = defineSignal<[RunSignals['childWaiting']]>('childWaiting');
export const childUsedSignal = defineSignal<[RunSignals['childUsed']]>('childUsed');
export const pausedAboveSignal = defineSignal<[RunSignals['pausedAbove']]>('pausedAbove');
export const intentSignal = defineSignal<[RunSignals[typeof CALL_INTENT]]>(CALL_INTENT);

export const statusQuery = defineQuery<RunState>('status');
