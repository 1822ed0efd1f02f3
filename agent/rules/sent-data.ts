import { fieldsOf, isObject } from '../values/json-object.ts';
import { refusal } from '../values/refusal.ts';

/** Returns the one argument of an update, or undefined. Throws for several arguments. */
export function sentData(type: string, sent: readonly unknown[]): unknown {
  if (sent.length <= 1) return sent[0];
  throw refusal(type, `it takes one value, and ${sent.length} were sent. Put them into one object.`);
}

/** Throws if an update that takes no data was sent some. */
export function noData(type: string, data: unknown, about: 'run' | 'session'): void {
  const isEmpty = isObject(data) && Object.keys(data).length === 0;
  if (data === undefined || data === null || data === '' || isEmpty) return;
  throw refusal(type, `it takes no data, as it is about the whole ${about}.`);
}

/** The conversation that a `clear` means: the run id of the first execution of its workflow. */
export interface ClearData {
  conversation: string;
}

/**
 * Checks the data of a `clear`; without data, the present conversation is meant. A client sends a request again whose answer got lost, and an
 * earlier conversation of this name may be cleared by then. Throws an Error with the reason.
 */
export function checkClear(data: unknown, present: string): void {
  const { conversation, ...others } = fieldsOf(data);
  if (typeof conversation !== 'string' || Object.keys(others).length > 0)
    return noData('clear', data, 'session');
  if (conversation !== present)
    throw new Error(`clear: conversation ${conversation} is over, and another one has started.`);
}
