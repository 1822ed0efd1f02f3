import { isObject } from '../values/json-object.ts';
import { senderName, senderProblem } from '../start/sender-name.ts';
import { wellFormed } from '../values/values.ts';
import { refusal } from '../values/refusal.ts';

/** The person who sends a decision, or a message to a run. Both fields are claims until the config's `authorize` has checked them. */
export interface Sender {
  /** Name of the sender, as the sender says. It is recorded, and shown with the decision or message. */
  by?: string | undefined;
  /** Proof of the name, for the config's `authorize`, such as a signed token. Events do not have it. */
  credential?: string | undefined;
}

/** A person's decision or message to a run, for the activity that calls the config's `authorize`. */
export interface SentMessage extends Sender {
  /** Name of the decision or the message: `approve`, `say`. */
  type: string;
  agent: string;
  /** Workflow id. */
  runId: string;
  /** The call of a decision: `3.1`. */
  call?: string | undefined;
  /** The tool of a decision's call; `callModel` for a model call. */
  tool?: string | undefined;
  /** Data of the decision or message, without the sender. */
  data?: unknown;
}

/** Name of the activity that calls the config's `authorize`. */
export const AUTHORIZE = 'authorizeWord';

const MOST_CREDENTIAL_CHARS = 8_000;

/** Divides the data of an update into its sender and the rest. */
export function splitSender(type: string, sent: unknown): { sender: Sender; data: unknown } {
  if (!isObject(sent) || !('by' in sent || 'credential' in sent)) return { sender: {}, data: sent };
  const { by, credential, ...data } = sent;
  const sender: Sender = {
    ...readBy(type, by ?? undefined),
    ...readCredential(type, credential ?? undefined),
  };
  return { sender, data };
}

function readBy(type: string, by: unknown): Sender {
  const problem = senderProblem(by);
  if (problem !== undefined) throw refusal(type, problem);
  return by === undefined ? {} : { by: senderName(by) };
}

function readCredential(type: string, credential: unknown): Sender {
  if (credential === undefined) return {};
  const isText = typeof credential === 'string' && credential.trim() !== '';
  if (isText && credential.length <= MOST_CREDENTIAL_CHARS) return { credential: wellFormed(credential) };
  throw refusal(type, `credential is a text of 1 to ${MOST_CREDENTIAL_CHARS} characters.`);
}
