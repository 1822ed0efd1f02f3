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

/** The protocol of a run: its input, its result, and the updates, signals, and queries that it takes. */

export const AGENT_RUN = 'agentRun';

/** Memo and summary that `reloop list` and the Web UI show. Part of a run's start. */
export function runLabels(agent: string, question: Content) {
  const input = contentText(question);
  return {
    memo: { agent, input: input.slice(0, 200) },
    staticSummary: `${agent}: ${input.slice(0, 160)}`,
  };
}

/**
 * Input of `agentRun` that Reloop itself writes; people start runs with a `RunStart`. A fresh start has an agent and a question.
 * Continue-as-new, rewind, fork, and retry have the pinned manifest and a reference to the recorded transcript. The bytes of images are
 * separate arguments after this one: the workflow does not read them.
 */
export interface AgentRunInput {
  agent: string;
  /** In a backtest: the recorded run whose tool calls answer those of this run. */
  recorded?: RecordedSource | undefined;
  question?: FreshStart['question'] | undefined;
  overrides?: FreshStart['overrides'];
  /** Name of the session that the question is part of. */
  session?: string | undefined;
  /** For a sub-agent: the rest of its parent's budget. */
  parentBudget?: Budget | undefined;
  /** Run id of the first run of the lineage. For a sub-agent: the root of its parent, and the call. */
  root?: string | undefined;
  /** For a sub-agent: the parent's call that runs it. */
  caller?: string | undefined;
  manifest?: AgentManifest | undefined;
  searchAttributes?: boolean | undefined;
  events?: true | undefined;
  /** The transcript to continue. `entries`: the entries that the model still sees, if they are small enough. */
  from?: (Origin & { entries?: Entry[] }) | undefined;
  /** Entries that no model call has carried yet. */
  pending?: Entry[] | undefined;
  counters?: Counters | undefined;
  /** Messages to the run before its start, or that the earlier run did not deliver. The first model call carries them. */
  said?: string[] | undefined;
  /** For a sub-agent whose call is made again: workflow id of the earlier run. */
  insteadOf?: string | undefined;
  /** The restart that began this run. */
  restart?: Restart | undefined;
  /** Number of the first schedule, and of the first wait, of each call. After a restart: higher than those of dropped steps. Default: 0. */
  firstN?: number | undefined;
  /** Effects of dropped steps. A person is asked before such a call is made again. */
  done?: DoneCall[] | undefined;
}

/** Result of a run in its history. */
export interface RecordedResult extends RunResult {
  /** The agent's memory settings, for the session of the run. */
  memory?: MemoryManifest | undefined;
}

export interface DecisionReceipt {
  call: string;
  n: number;
  decision: DecisionName;
  /** An answer by token for a running call. It is used if the call defers with that token, and dropped otherwise. */
  kept?: true | undefined;
}

/** Update of each decision. The names are those in the Web UI. */
export const decisionUpdates = Object.fromEntries(
  decisionNames.map((name) => [name, defineUpdate<DecisionReceipt, [unknown?]>(name)]),
) as { readonly [N in DecisionName]: ReturnType<typeof defineUpdate<DecisionReceipt, [unknown?]>> }; // has every name

export interface RunMessageReceipt {
  message: RunMessageName;
}

/** Update of each message to a whole run. */
export const runMessageUpdates = Object.fromEntries(
  runMessageNames.map((name) => [name, defineUpdate<RunMessageReceipt, [unknown?]>(name)]),
) as { readonly [N in RunMessageName]: ReturnType<typeof defineUpdate<RunMessageReceipt, [unknown?]>> }; // has every name

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
