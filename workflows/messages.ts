import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { BatchStart } from '../agent/start/batch-start.ts';
import type { BacktestStart } from '../agent/backtest/backtest-start.ts';
import type { VerdictCounts } from '../agent/backtest/backtest-report.ts';
import type { LateAnswer } from '../agent/session/late-answers.ts';
import type { ClearData } from '../agent/rules/sent-data.ts';
import type { SessionMessage } from '../agent/session/session.ts';
import { type Content, contentText } from '../agent/values/content.ts';
import { CALL_CHECKPOINT, CALL_INTENT } from '../agent/calls/call-signals.ts';
import type { RunSignals } from '../agent/run/run-signals.ts';
import type { RunOverrides } from '../agent/start/overrides.ts';
import type { WaitingCall } from '../agent/rules/waiting.ts';
import type { MemoryManifest } from '../agent/definition/manifest.ts';
import { type DecisionName, type DecisionReceipt, decisionNames } from '../agent/rules/decisions.ts';
import { type RunMessageName, type RunMessageReceipt, runMessageNames } from '../agent/rules/run-messages.ts';
import type { RunStep } from '../agent/run/events.ts';
import type { RunResult } from '../agent/run/run-result.ts';
import type { RunStatus, Usage } from '../agent/values/vocabulary.ts';

export { fixedAttributes, sessionAttributes } from './web-ui/run-attributes.ts';
export type { DecisionReceipt } from '../agent/rules/decisions.ts';
export type { DecisionData } from '../agent/rules/gate.ts';

/** The protocol of a run: its result, and the updates, signals, and queries that it takes. Its input is an `AgentRunInput`. */

export const AGENT_RUN = 'agentRun';

/**
 * Memo and summary that `reloop list` and the Web UI show, and the keys by which Temporal dispatches tasks: urgent ones first, those of tenants in turn. Part of a
 * run's start. Children inherit the key.
 */
export function runLabels(
  agent: string,
  question: Content,
  { tags, tenant, priority }: Pick<RunOverrides, 'tags' | 'tenant' | 'priority'> = {},
  ownership: RunOwnership = {},
) {
  const input = contentText(question);
  return {
    memo: {
      agent,
      input: input.slice(0, 200),
      ...(tags && { tags }),
      ...(tenant && { tenant }),
      ...(priority && { priority }),
      ...ownershipMemo(ownership),
    },
    staticSummary: `${agent}: ${input.slice(0, 160)}`,
    ...((tenant ?? priority) && {
      priority: { ...(tenant && { fairnessKey: tenant }), ...(priority && { priorityKey: priority }) },
    }),
  };
}

/** Memo fields of a run that say to whom it belongs. Sub-agents inherit them, and a run of a session has the session's owner. */
export interface RunOwnership {
  /** Name of the person who started the run, or the session that the run is part of. undefined: no name was given. */
  owner?: string | undefined;
  /** Name of the person who asked, if that is not the owner. */
  askedBy?: string | undefined;
}

/** The fields that are known: a memo takes no undefined. */
export function ownershipMemo({ owner, askedBy }: RunOwnership): RunOwnership {
  return {
    ...(owner !== undefined && { owner }),
    ...(askedBy !== undefined && askedBy !== owner && { askedBy }),
  };
}

/** Reads the fields in a memo, which another program may have written. */
export function ownershipIn(memo: { readonly [field: string]: unknown } = {}): RunOwnership {
  const { owner, askedBy } = memo;
  return ownershipMemo({
    owner: typeof owner === 'string' ? owner : undefined,
    askedBy: typeof askedBy === 'string' ? askedBy : undefined,
  });
}

export interface RecordedResult extends RunResult {
  /** All steps of a short run without waits or failures, if it is not a sub-agent: see `ResultSteps`. The steps of other runs are in history only. */
  intermediateSteps?: RunStep[] | undefined;
  /** The agent that has the conversation at the end, if it is another one than the run's. */
  agent?: string | undefined;
  /** The agent's memory settings, for the session of the run. */
  memory?: MemoryManifest | undefined;
  /** Task queue of the agent's model calls, for a summary by the session. Only with such a memory. */
  modelQueue?: string | undefined;
}

/** Update of each decision. The names are those in the Web UI. */
export const decisionUpdates = Object.fromEntries(
  decisionNames.map((name) => [name, defineUpdate<DecisionReceipt, [unknown?]>(name)]),
) as { readonly [N in DecisionName]: ReturnType<typeof defineUpdate<DecisionReceipt, [unknown?]>> }; // has every name

/** Error type of the failure by which a run refuses a decision or message that it has taken before. Its details have the receipt. */
export const ALREADY_TAKEN = 'AlreadyTaken';

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
export const checkpointSignal = defineSignal<[RunSignals[typeof CALL_CHECKPOINT]]>(CALL_CHECKPOINT);

export const statusQuery = defineQuery<RunState>('status');

/** Workflow type of a batch: one agent, several questions, each of which gets a run. */
export const AGENT_BATCH = 'agentBatch';

/** Runs of a batch. `existed`: there was a run with that id, and nothing was started. */
export interface BatchCounts {
  done: number;
  failed: number;
  waiting: number;
  existed: number;
}

export interface AgentBatchInput extends BatchStart {
  /** Number of questions that were asked before the batch continued as new, and what became of them. */
  asked?: number | undefined;
  counts?: BatchCounts | undefined;
  /** Numbers of the runs that waited for a person at that time. */
  open?: number[] | undefined;
}

/** Input of a backtest, and of its runs. */

export const BACKTEST = 'backtest';
/** Workflow type of a backtest's runs: `agentRun` under another name, so that lists of runs do not show them. */
export const BACKTEST_RUN = 'backtestRun';

/** Workflow id of a backtest. The ids of its runs are this id, a slash, and the id of the recorded run. */
export function backtestId(name: string): string {
  return `backtest:${name}`;
}

export interface BacktestInput extends BacktestStart {
  /** Verdicts on earlier runs, carried through continue-as-new. */
  counts?: VerdictCounts | undefined;
}

/** Workflow type of a delivery to a webhook, beside the run. */
export const WEBHOOK_DELIVERY = 'webhookDelivery';

/** The protocol of a session: its updates and signals. The workflow's input is a `SessionState`. */

export const AGENT_SESSION = 'agentSession';

/**
 * Receipt of a message. `started`: its run has started. `existed`: another run had that id, and nothing was started. `queued`: the message
 * waits, and the session has continued as new: ask the new run.
 */
export type SessionReceipt =
  { id: string; state: 'started'; runId: string } | { id: string; state: 'existed' | 'queued' };

const SEND = 'send';

/** Sends a message. Resolves when the message's run has started, after the runs of earlier messages have ended. */
export const sendUpdate = defineUpdate<SessionReceipt, [SessionMessage]>(SEND);

/**
 * Sends a message without waiting for a worker. The bytes of its images are later arguments. They are not sent by the update, because the
 * server writes updates that are accepted together in one transaction, which several large ones would exceed.
 */
export const sendSignal = defineSignal<[SessionMessage, ...Uint8Array[]]>(SEND);

/** Forgets the conversation. Refused while a run is open, or a message waits, and for a conversation that is over. */
export const clearUpdate = defineUpdate<null, [ClearData | null]>('clear');

/** Sent by a restarted run when it has its answer: see {@link LateAnswer}. */
export const answeredSignal = defineSignal<[LateAnswer]>('answered');

/** Description of each update in the Web UI. */
export const sessionHelp = {
  send: 'Send a message; the session answers its messages one after the other. Data: {"id":"…","agent":"…","input":"…"}, where id is that of the new run.',
  clear: 'Forget the conversation and end the session. Needs no data.',
} as const;
