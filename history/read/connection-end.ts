import { setMaxListeners } from 'node:events';
import type { Client } from '@temporalio/client';

const ends = new WeakMap<object, AbortController>();

/** Returns the controller that is aborted before a client's connection is closed. It ends all requests of the connection. */
export function connectionEnd({ connection }: Pick<Client, 'connection'>): AbortController {
  const known = ends.get(connection);
  if (known !== undefined) return known;
  const end = new AbortController();
  // Each open request listens. Node would warn of a leak at the eleventh.
  setMaxListeners(0, end.signal);
  ends.set(connection, end);
  return end;
}
