import type { Json, WaitingCall } from '../../client/index.ts';
import type { RunEnd } from '../replies/run-parts.ts';

/** A chunk of the AI SDK's UI message stream, of those that a run needs. */
export type UiChunk =
  | NewerChunk
  | { type: 'start'; messageId: string; messageMetadata: { run: string } }
  | { type: 'start-step' | 'finish-step' }
  | { type: `${TextType}-start` | `${TextType}-end`; id: string }
  | { type: `${TextType}-delta`; id: string; delta: string }
  | ({ type: 'tool-input-available' } & ToolInput)
  | { type: 'tool-approval-request'; toolCallId: string; approvalId: string }
  | { type: 'tool-output-available'; toolCallId: string; output: Json; preliminary?: true }
  | { type: 'tool-output-denied'; toolCallId: string }
  | {
      type: 'tool-output-error';
      toolCallId: string;
      errorText: string;
      dynamic?: true;
      providerExecuted?: true;
    }
  | { type: 'data-waiting'; id: string; data: WaitingData | null }
  /** No worker is there, until null. */
  | { type: 'data-worker'; id: string; data: { text: string } | null }
  | { type: 'error'; errorText: string }
  | {
      type: 'finish';
      finishReason: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'other';
      messageMetadata?: { status: RunEnd['status'] };
    };

/** A chunk that `ai` 7.0.163 knows. Version 6 refuses a stream with one of them. */
type NewerChunk =
  /** Removes all that came since the latest `start-step`. */
  | { type: 'reset-step' }
  /** A message to the run. It comes before the `start-step` of the first model call that has it. */
  | { type: 'steering-message'; id: string; parts: { type: 'text'; text: string }[] }
  | { type: 'tool-approval-response'; approvalId: string; approved: boolean }
  /** The answer is not whole, and the page sends nothing more automatically. */
  | { type: 'finish'; finishReason: 'interrupted'; messageMetadata: { status: RunEnd['status'] } };

export type TextType = 'text' | 'reasoning';

export interface ToolInput {
  toolCallId: string;
  toolName: string;
  input: Json;
  /** The page has no types for the tools of the agent, and does not run them. Left out for a tool of the page. */
  dynamic?: true;
  providerExecuted?: true;
}

/** A wait that `POST /runs/RUN/decisions` ends. The protocol has a separate form for approvals of the run's own calls. */
export interface WaitingData extends Pick<WaitingCall, 'call' | 'tool' | 'toolInput' | 'reason'> {
  run: string;
  /** The `wait` of the decision. */
  n: number;
  /** A sentence without its subject: `failed`. */
  text: string;
  error?: string | undefined;
  note?: Json | undefined;
  /** Types of the decisions that fit. Empty for a caller who may not decide. */
  decisions: string[];
}
