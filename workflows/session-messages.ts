import { defineSignal, defineUpdate } from '@temporalio/workflow';
import type { LateAnswer } from '../agent/session/late-answers.ts';
import type { SessionMessage } from '../agent/session/session.ts';

/** Everything a client says to a session. Its one input is a `SessionState`. */

export const AGENT_SESSION = 'agentSession';

/**
 * What became of a message. `started`: its run is there. `existed`: a run of that id was there before, and nothing was
 * started. `queued`: it waits, and the session goes on in a new run of its workflow: ask again there.
 */
export type SessionReceipt =
  { id: string; state: 'started'; runId: string } | { id: string; state: 'existed' | 'queued' };

const SEND = 'send';

/** Resolves when the message's run has started, which may take until those before it have ended. */
export const sendUpdate = defineUpdate<SessionReceipt, [SessionMessage]>(SEND);

/**
 * The same message, left in the queue without waiting for a worker. The images of its question come behind it: updates that
 * are accepted together share one transaction of the server, which several large ones would be too much for.
 */
export const sendSignal = defineSignal<[SessionMessage, ...Uint8Array[]]>(SEND);

/** Forgets the conversation; refused while a run is open or waits. */
export const clearUpdate = defineUpdate<null>('clear');

/** Sent by a run that was retried and now has its answer: see {@link LateAnswer}. */
export const answeredSignal = defineSignal<[LateAnswer]>('answered');

/** What to type, shown beside each update in the Web UI. */
export const sessionHelp = {
  send: 'Say something; it is answered when its turn comes. Data: {"id":"…","agent":"…","input":"…"}, where id is that of the new run.',
  clear: 'Forget the conversation and end the session. Takes no data.',
} as const;
