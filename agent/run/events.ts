import type { Content } from '../values/content.ts';
import type { ModelTurn } from '../calls/calls.ts';
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
} from '../values/vocabulary.ts';

export type { OperatorDecision } from '../rules/decisions.ts';
export type { RunMessage } from '../rules/run-messages.ts';

/**
 * What happens in a run, in order; the one union behind the live trace, `show`, tests and `run.events()`. `at` is
 * milliseconds since 1970; `call` is `3` for the third iteration's model call and `3.1` for its first tool call.
 * `model_text`, `model_reasoning`, `tool_progress`, `attempt_failed` and `not_begun` come from calls under way: they are seen live only,
 * all but the last tagged with their attempt. All others come from history and are the same for every reader at any time.
 */
export type RunEvent = {
  at: number;
  /** Where a reader stands behind this event: what `events({ after })` takes. Of recorded events that are read; opaque. */
  eventId?: string | undefined;
  /** Of an event of a sub-agent's run: the call that runs it (`3.1`, deeper `3.1/2.1`). Decide on `WITHIN/CALL`. */
  within?: string | undefined;
} & (
  | {
      type: 'run_started';
      id: string;
      runId: string;
      agent: string;
      input: Content;
      /** The type of a workflow of the user's own. Such a run has no single agent and no question. */
      workflow?: string | undefined;
    }
  | { type: 'model_started'; call: string }
  /** `text` is all of the reply so far. */
  | { type: 'model_text'; call: string; attempt: number; text: string }
  /** What the model thinks before it writes: `text` is the last 4,000 characters so far. */
  | { type: 'model_reasoning'; call: string; attempt: number; text: string }
  /** `closing`: no iteration, but the call that asks for the answer when a limit was reached. */
  | {
      type: 'model_ended';
      call: string;
      turn: ModelTurn;
      attempts: number;
      durationMs: number;
      closing?: true | undefined;
    }
  | { type: 'model_failed'; call: string; error: ErrorInfo; attempts: number }
  | { type: 'action'; call: string; action: AgentAction }
  /** As LangChain's callbacks say it, `tool` is `_Exception` for an unreadable reply and `invalid_tool` for an unknown name. */
  | { type: 'tool_started'; call: string; tool: string; toolInput: Json }
  | { type: 'tool_progress'; call: string; attempt: number; text: string }
  /** `retryInMs`: until the next attempt, where one is known to come. */
  | {
      type: 'attempt_failed';
      call: string;
      attempt: number;
      error: ErrorInfo;
      retryInMs?: number | undefined;
    }
  /** All that was recorded when the reader began has been given; what follows happens now. A run that is over has none. */
  | { type: 'caught_up' }
  /** No worker polls the task queue of the call's tool. */
  | { type: 'not_begun'; call: string; tool: string; taskQueue: string }
  | { type: 'tool_failed'; call: string; error: ErrorInfo; attempts: number }
  | { type: 'waiting'; wait: WaitingCall }
  | { type: 'decided'; call: string; decision: OperatorDecision }
  /** A person said something to the run as a whole. */
  | { type: 'steered'; message: RunMessage }
  /** The run ended before the model could see what people had said to it. */
  | { type: 'unheard'; messages: string[] }
  /** Nobody decided on a waiting call in the time there was. */
  | { type: 'unanswered'; call: string }
  /**
   * A call waits no more, without a decision in this run: a sub-agent's call (its own run has the decision), or a call in doubt whose
   * lost attempt must have ended.
   */
  | { type: 'resumed'; call: string }
  /** The tool's `reconcile` has said whether the call in doubt took effect. `error`: why it could not. */
  | {
      type: 'reconciled';
      call: string;
      found: 'done' | 'notDone' | 'unknown';
      error?: ErrorInfo | undefined;
    }
  | { type: 'step'; step: RunStep }
  | { type: 'continued'; runId: string }
  /** A rewind, a fork or a retry: steps from `step` on are done anew; what was told of them is no longer so. */
  | RestartedEvent
  /** The agent has its answer; the log is empty where a limit or a tool with `returnDirect` gave it. */
  | { type: 'finish'; output: Json; log: string }
  | {
      type: 'run_ended';
      status: RunStatus;
      stopReason: StopReason | null;
      output: Json;
      iterations: number | null;
      usage: Usage | null;
      error: ErrorInfo | null;
    }
);

/** A run event as the rules tell it: without its time, and without where it was read. Distributes over the union. */
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
  'caught_up',
];

/** Not seen live only. */
export function isRecorded({ type }: RunEvent): boolean {
  return !LIVE_ONLY.includes(type);
}

/** A step as it is reported: LangChain's, and what it cost. */
export interface RunStep extends AgentStep {
  call: string;
  /** Attempts over all schedules of the call, lost ones included; 0 when nothing had to be run. */
  attempts: number;
  /** Milliseconds from schedule to end, waits for a person left out. */
  durationMs: number;
}
