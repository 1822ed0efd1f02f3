import { noData } from '../rules/sent-data.ts';
import { fieldsOf } from '../values/json-object.ts';

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
    throw new Error(`clear: conversation ${conversation} is over, and another one has begun.`);
}
