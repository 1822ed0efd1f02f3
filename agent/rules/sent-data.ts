import { isObject } from '../values/json-object.ts';
import { refusal } from '../values/refusal.ts';

/** The data of an update: its one argument, or none. Throws for several. */
export function sentData(type: string, sent: readonly unknown[]): unknown {
  if (sent.length <= 1) return sent[0];
  throw refusal(type, `it takes one value, and ${sent.length} were sent. Put them into one object.`);
}

/** Throws for data that an update has no use for. */
export function noData(type: string, data: unknown, about: 'run' | 'session'): void {
  const isEmpty = isObject(data) && Object.keys(data).length === 0;
  if (data === undefined || data === null || data === '' || isEmpty) return;
  throw refusal(type, `it takes no data, as it is about the whole ${about}.`);
}
