import type { Content } from '../values/content.ts';
import type { ModelTurn } from '../calls/calls.ts';
import type { HookChange } from '../definition/hooks.ts';
import type { RestartedEvent } from '../calls/restart.ts';
import type { OperatorDecision } from '../rules/decisions.ts';
import type { RunMessage } from '../rules/run-messages.ts';
import type { WaitingCall } from '../rules/waiting.ts';
import type {
  AgentAction,
  AgentStep,
  ErrorInfo,
  Json,
  RunStatus,
  StopReason,
  Usage,
  Truncation,
} from '../values/vocabulary.ts';

export type { OperatorDecision } from '../rules/decisions.ts';
export type { RunMessage } from '../rules/run-messages.ts';

/**
 * An event of a run. The live trace, `show`, tests and `run.events()` all use this union. `at`: milliseconds since 1970. `call`: `3` for
 * the third iteration's model call, `3.1` for its first tool call. `model_text`, `model_reasoning`, `tool_progress`, `attempt_failed`,
 * `not_begun` and `call_paused` come from calls under way: only a live reader receives them, and all but the last two have an
 * attempt number. All other events are read from history, and are the same for every reader at any time.
 */
export type RunEvent = {
  at: number;
  /** Cursor for `events({ after })`: the reader continues after this event. Only recorded events have one; opaque. */
  eventId?: string | undefined;
  /** The call that runs the sub-agent of the event (`3.1`, or deeper `3.1/2.1`). Decide on `WITHIN/CALL`. */
  within?: string | undefined;
} & (
  | {
      type: 'run_started';
      id: string;
      runId: string;
      agent: string;
      input: Content;
      /** Name of the person who started the run, as the sender said. */
      by?: string | undefined;
      /** Type of a custom workflow. Such a run has no single agent and no question. */
      workflow?: string | undefined;
    }
  | { type: 'model_started'; call: string }
  /** `text`: the whole reply so far. */
  | { type: 'model_text'; call: string; attempt: number; text: string }
  /** Reasoning of the model before its reply. `text`: the last 4,000 characters so far. */
  | { type: 'model_reasoning'; call: string; attempt: number; text: string }
  /** `closing`: the call asks for the answer at a limit, and is not an iteration. */
  | {
      type: 'model_ended';
      call: string;
      turn: ModelTurn;
      attempts: number;
      durationMs: number;
      closing?: true | undefined;
    }
  | { type: 'model_failed'; call: string; error: ErrorInfo; attempts: number }
  /** `client`: the caller of the run carries the call out. `background`: the model continues without the result. */
  | {
      type: 'action';
      call: string;
      action: AgentAction;
      client?: true | undefined;
      background?: true | undefined;
    }
  /** Like LangChain's callbacks, `tool` is `_Exception` for an unreadable reply and `invalid_tool` for an unknown name. */
  | { type: 'tool_started'; call: string; tool: string; toolInput: Json }
  | { type: 'tool_progress'; call: string; attempt: number; text: string }
  /** `retryInMs`: time until the next attempt; undefined if no further attempt is known. `paused`: none starts until the call is unpaused. */
  | {
      type: 'attempt_failed';
      call: string;
      attempt: number;
      error: ErrorInfo;
      retryInMs?: number | undefined;
      paused?: true | undefined;
    }
  /** The reader has received all events that were recorded when it started. Later events are live. Not emitted for a run that has ended. */
  | { type: 'caught_up' }
  /**
   * An operator has paused the whole run with `temporal workflow pause`, or unpaused it. Servers have these commands from Temporal 1.30 on.
   * `pause` and `resume` of Reloop are `steered`.
   */
  | ({ type: 'paused_in_temporal' } & PausedBy)
  | ({ type: 'unpaused_in_temporal' } & PausedBy)
  /** An operator has paused the call with `temporal activity pause` or in the Web UI. No attempt starts until it is unpaused there. */
  | ({ type: 'call_paused' } & PausedCall)
  /** No worker polls the task queue of the call's tool. */
  | { type: 'not_begun'; call: string; tool: string; taskQueue: string }
  /** Work of the call continues elsewhere, as a task of an MCP server does: its `{ task, server }`. null: that work has failed. */
  | { type: 'checkpoint'; call: string; checkpoint: Json }
  | { type: 'tool_failed'; call: string; error: ErrorInfo; attempts: number }
  | { type: 'waiting'; wait: WaitingCall }
  /** A person's decision; or `cancelCall` by the model, of a background call. */
  | { type: 'decided'; call: string; decision: OperatorDecision }
  /** A person sent a message to the whole run. `above`: to its parent, which is paused or resumed, and its sub-agents with it. */
  | { type: 'steered'; message: RunMessage; above?: true | undefined }
  /** The run ended before the model could see these messages. */
  | { type: 'unheard'; messages: string[] }
  /** The wait reached its time limit without a decision. */
  | { type: 'unanswered'; call: string }
  /**
   * A wait ended without a decision in this run: the call is a sub-agent's (the sub-agent's run has the decision), its lost attempt
   * must have ended, or the call is cancelled. For the wait of a model call only if the run's agents have background tools.
   */
  | { type: 'resumed'; call: string }
  /** The tool's `reconcile` was asked whether the call in doubt took effect. `error`: `reconcile` failed. */
  | {
      type: 'reconciled';
      call: string;
      found: 'done' | 'notDone' | 'unknown';
      error?: ErrorInfo | undefined;
    }
  | { type: 'step'; step: RunStep }
  /** Usage of the model calls that the tool has made, or a sub-agent that has ended. Counts for the run. */
  | { type: 'used'; call: string; usage: Usage }
  | { type: 'continued'; runId: string }
  /** A rewind, a fork or a retry. The run repeats `step` and later steps; earlier events of these steps are obsolete. */
  | RestartedEvent
  /** The run has its output. `log` is empty if a limit, or a tool with `returnDirect`, gave the output. */
  | { type: 'finish'; output: Json; log: string }
  | {
      type: 'run_ended';
      status: RunStatus;
      stopReason: StopReason | null;
      /** Set if the answer is not whole. */
      truncated?: Truncation | undefined;
      output: Json;
      iterations: number | null;
      usage: Usage | null;
      error: ErrorInfo | null;
    }
);

/** Sender of one of Temporal's own commands: the identity that Temporal knows, and the reason that the sender gave. */
export interface PausedBy {
  by?: string | undefined;
  reason?: string | undefined;
}

/**
 * A call that an operator has paused with `temporal activity pause` or in the Web UI. It waits until it is unpaused in the same way.
 * `workflowId` and `activityId`: the names of the call in Temporal's commands.
 */
export interface PausedCall extends PausedBy {
  call: string;
  workflowId: string;
  activityId: string;
}

/** A run event without its time and its place in history, as the rules make it. The type distributes over the union. */
export type TimelessEvent = RunEvent extends infer E
  ? E extends RunEvent
    ? Omit<E, 'at' | 'eventId' | 'within'>
    : never
  : never;

const LIVE_ONLY: readonly RunEvent['type'][] = [
  'model_text',
  'model_reasoning',
  'tool_progress',
  'attempt_failed',
  'not_begun',
  'call_paused',
  'caught_up',
];

/** Returns false for events that only a live reader receives. */
export function isRecorded({ type }: RunEvent): boolean {
  return !LIVE_ONLY.includes(type);
}

/** LangChain's step, with the call's id, attempts and duration. */
export interface RunStep extends AgentStep {
  call: string;
  /** Attempts of all schedules of the call, lost attempts included; 0 if no tool had to run. */
  attempts: number;
  /**
   * Milliseconds from schedule to end, without waits for a person: by the server's clock in history, by the workflow's clock in `onEvent`
   * and in the result of a short run. The workflow hears of an end later.
   */
  durationMs: number;
  /** Changes that the config's hooks made after the tool had run. */
  changes?: HookChange[] | undefined;
}
