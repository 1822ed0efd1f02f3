import { defineSignal, defineUpdate } from '@temporalio/workflow';
import type { LateAnswer } from '../agent/session/late-answers.ts';
import type { SessionMessage } from '../agent/session/session.ts';

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

/** Forgets the conversation. Refused while a run is open, or a message waits. */
export const clearUpdate = defineUpdate<null>('clear');

/** Sent by a restarted run when it has its answer: see {@link LateAnswer}. */
export const answeredSignal = defineSignal<[LateAnswer]>('answered');

/** Description of each update in the Web UI. */
export const sessionHelp = {
  send: 'Send a message; the session answers its messages one after the other. Data: {"id":"…","agent":"…","input":"…"}, where id is that of the new run.',
  clear: 'Forget the conversation and end the session. Takes no data.',
} as const;
