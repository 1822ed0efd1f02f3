import { isObject } from '../values/json-object.ts';
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
