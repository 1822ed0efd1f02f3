import type { ConnectionLike } from '@temporalio/client';
import { orAborted } from '../../agent/values/concurrent.ts';

/**
 * Updates of one workflow that a connection has under way. Temporal takes ten (`history.maxInFlightUpdates`, 1.32.0) and refuses more; its client sends those
 * again after pauses that double: a hundred answers to one run took 13 s in 25 at a time, and 4 s in 8 at a time.
 */
const AT_ONCE = 8;

interface Line {
  underWay: number;
  /** Senders that wait, in the order in which they came. */
  next: (() => void)[];
}

const lines = new WeakMap<ConnectionLike, Map<string, Line>>();

/** Sends an update of a workflow as soon as few of this connection's are under way. Rejects with the reason of `signal` if it aborts before. */
export async function amongFew<T>(
  connection: ConnectionLike,
  workflowId: string,
  signal: AbortSignal | undefined,
  send: () => Promise<T>,
): Promise<T> {
  const all = lines.get(connection) ?? new Map<string, Line>();
  lines.set(connection, all);
  const line = all.get(workflowId) ?? { underWay: 0, next: [] };
  all.set(workflowId, line);
  if (line.underWay < AT_ONCE) line.underWay += 1;
  else await turn(line, signal);
  try {
    return await send();
  } finally {
    const next = line.next.shift();
    if (next !== undefined) next();
    else if (--line.underWay === 0) all.delete(workflowId);
  }
}

/** Resolves when a place has become free, which is then the caller's. */
async function turn(line: Line, signal: AbortSignal | undefined): Promise<void> {
  let take: () => void = () => undefined;
  const free = new Promise<void>((resolve) => (take = resolve));
  line.next.push(take);
  await orAborted(free, signal, () => {
    line.next = line.next.filter((one) => one !== take);
  });
}
