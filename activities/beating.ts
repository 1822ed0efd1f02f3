import { Context } from '@temporalio/activity';
import { beatInterval } from './beat-interval.ts';

/** Tells the server now and then that this activity is at work, for one that only reads and may take long. */
export async function beating<T>(work: () => Promise<T>): Promise<T> {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), beatInterval(context));
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
