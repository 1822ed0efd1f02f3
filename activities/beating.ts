import { Context } from '@temporalio/activity';

const INTERVAL_MS = 1000;

/** Tells the server every second that this activity is at work, for one that only reads and may take long. */
export async function beating<T>(work: () => Promise<T>): Promise<T> {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), INTERVAL_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
