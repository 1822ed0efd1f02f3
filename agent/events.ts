import type { AgentAction, Json, RunStatus, StopReason, Usage } from './vocabulary.ts';

/** An error as it crosses processes: a type to test by, a message to read. */
export interface ErrorInfo {
  type: string;
  message: string;
}

/** Why a call waits for a person. */
export type ParkReason = 'failed' | 'approval' | 'doubt' | 'deferred' | 'repeated' | 'limit';

/** A tool call that waits for a person. `n` counts the times this call was scheduled, from 0. */
export interface Park {
  call: string;
  n: number;
  tool: string;
  toolInput: Json;
  reason: ParkReason;
  error?: ErrorInfo;
}

/** What a person decided of a call. */
export type OperatorDecision =
  | { type: 'retry'; input?: Json }
  | { type: 'resolve'; output: Json }
  | { type: 'skip'; reason?: string }
  | { type: 'cancelCall'; reason?: string }
  | { type: 'abort'; reason?: string };

/**
 * What happens in a run, in order; the one union behind the live trace, `show`, tests and `run.events()`. `at` is
 * milliseconds since 1970. Everything but `model_text`, `tool_progress` and `attempt_failed` comes from history and is
 * the same for every reader; those three come from pending activities and are seen only live, each with its attempt.
 */
export type RunEvent = { at: number } & (
  | { type: 'run_started'; id: string; runId: string; agent: string; input: string }
  | { type: 'model_started'; iteration: number }
  | { type: 'model_text'; iteration: number; attempt: number; text: string }
  | {
      type: 'model_ended';
      iteration: number;
      text: string;
      usage: Usage;
      finishReason: string;
      attempts: number;
      durationMs: number;
      warnings: string[];
    }
  | { type: 'model_failed'; iteration: number; error: ErrorInfo; attempts: number }
  | { type: 'action'; call: string; action: AgentAction }
  | { type: 'tool_started'; call: string; tool: string; toolInput: Json }
  | { type: 'tool_progress'; call: string; attempt: number; text: string }
  | { type: 'attempt_failed'; call: string; attempt: number; error: ErrorInfo }
  | { type: 'tool_failed'; call: string; error: ErrorInfo; attempts: number }
  | { type: 'waiting'; park: Park }
  | { type: 'decided'; call: string; decision: OperatorDecision }
  | {
      type: 'step';
      call: string;
      action: AgentAction;
      observation: Json;
      attempts: number;
      durationMs: number;
    }
  | { type: 'continued'; runId: string }
  | {
      type: 'run_ended';
      status: RunStatus;
      stopReason: StopReason | null;
      output: Json;
      error: ErrorInfo | null;
    }
);
