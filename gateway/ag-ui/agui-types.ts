import type { Json } from '../../client/index.ts';

/** An event of AG-UI, of those that a run needs. */
export type AguiEvent =
  | ({ type: 'RUN_STARTED'; protocolVersion: string } & RunNames)
  | ({ type: 'RUN_FINISHED'; result?: Json; outcome: Outcome } & RunNames)
  | { type: 'RUN_ERROR'; message: string; code: string }
  | { type: 'STEP_STARTED' | 'STEP_FINISHED'; stepName: string }
  | { type: 'TEXT_MESSAGE_START'; messageId: string; role: 'assistant' }
  | { type: 'REASONING_MESSAGE_START'; messageId: string; role: 'reasoning' }
  | { type: `${TextName}_CONTENT`; messageId: string; delta: string }
  | { type: `${TextName}_END` | 'REASONING_START' | 'REASONING_END'; messageId: string }
  | { type: 'TOOL_CALL_START'; toolCallId: string; toolCallName: string; parentMessageId: string }
  | { type: 'TOOL_CALL_ARGS'; toolCallId: string; delta: string }
  | { type: 'TOOL_CALL_END'; toolCallId: string }
  | { type: 'TOOL_CALL_RESULT'; messageId: string; toolCallId: string; content: string; role: 'tool' }
  | { type: 'CUSTOM'; name: 'tool_progress'; value: { toolCallId: string; text: string } }
  | { type: 'CUSTOM'; name: 'worker'; value: { isThere: boolean; text: string } }
  | { type: 'MESSAGES_SNAPSHOT'; messages: readonly object[] };

type TextName = 'TEXT_MESSAGE' | 'REASONING_MESSAGE';

/** Names of a run that the client has given. */
export interface RunNames {
  threadId: string;
  runId: string;
}

type Outcome =
  { type: 'success' } | { type: 'cancelled' } | { type: 'interrupt'; interrupts: readonly AguiInterrupt[] };

/** A wait for a person. */
export interface AguiInterrupt {
  /** Says the run, the call and the number of the wait. */
  id: string;
  /** Reason of the wait: `approval`, `failed`, … */
  reason: string;
  message: string;
  toolCallId?: string;
  /** JSON schema of the `payload` of an answer. */
  responseSchema: object;
  metadata: { [field: string]: Json };
}

/** A message of a run. */
export type RunMessage =
  | { id: string; role: 'assistant'; content?: string; toolCalls?: AguiToolCall[] }
  | { id: string; role: 'reasoning'; content: string }
  | { id: string; role: 'tool'; toolCallId: string; content: string };

export interface AguiToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}
