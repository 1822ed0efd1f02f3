import type { Client } from '@temporalio/client';

const ends = new WeakMap<object, AbortController>();

/** Aborted before a client's connection is closed: nothing may be asked over it any more. */
export function connectionEnd({ connection }: Pick<Client, 'connection'>): AbortController {
  const known = ends.get(connection);
  if (known !== undefined) return known;
  const end = new AbortController();
  ends.set(connection, end);
  return end;
}
