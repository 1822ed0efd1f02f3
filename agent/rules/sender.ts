import { isObject } from '../values/json-object.ts';
import { wellFormed } from '../values/values.ts';
import { refusal } from '../values/refusal.ts';

/** The person who sends a decision, or a message to a run. Both fields are claims until the config's `authorize` has checked them. */
export interface Sender {
  /** Name of the sender, as the sender says. It is recorded, and shown with the word. */
  by?: string | undefined;
  /** Proof of the name, for the config's `authorize`, such as a signed token. Events do not have it. */
  credential?: string | undefined;
}

/** Word of a person to a run, for the activity that calls the config's `authorize`. */
export interface SentWord extends Sender {
  /** Name of the decision or the message: `approve`, `say`. */
  type: string;
  agent: string;
  /** Workflow id. */
  runId: string;
  /** Only of a decision: its call, `3.1`. */
  call?: string | undefined;
  /** Only of a decision: the tool of its call; `callModel` for a model call. */
  tool?: string | undefined;
  /** Data of the word, without the sender. */
  data?: unknown;
}

/** Name of the activity that calls the config's `authorize`. */
export const AUTHORIZE = 'authorizeWord';

const rules = { by: 200, credential: 8_000 } as const;

/** Divides the data of an update into its sender and the rest. */
export function splitSender(type: string, sent: unknown): { sender: Sender; data: unknown } {
  if (!isObject(sent) || !('by' in sent || 'credential' in sent)) return { sender: {}, data: sent };
  const { by, credential, ...data } = sent;
  const sender: Sender = {
    ...readText(type, 'by', by),
    ...readText(type, 'credential', credential),
  };
  return { sender, data };
}

function readText(type: string, field: keyof typeof rules, value: unknown): Sender {
  if (value === undefined || value === null) return {};
  const most = rules[field];
  if (typeof value === 'string' && value.trim() !== '' && value.length <= most)
    return { [field]: wellFormed(value) };
  throw refusal(type, `${field} is a text of 1 to ${most} characters.`);
}
