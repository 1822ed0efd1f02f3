import type { Context } from '@temporalio/activity';
import { limits } from '../agent/limits.ts';

const intervals = new WeakMap<Context, number>();

/** Called by the worker's activity interceptor before the activity runs. */
export function setBeatInterval(context: Context, everyMs: number): void {
  intervals.set(context, everyMs);
}

/** How long an activity may be silent, in milliseconds: its regular heartbeats are so far apart. Of a worker that nobody has set it for: rarely. */
export function beatInterval(context: Context): number {
  return intervals.get(context) ?? limits.frugalBeatMs;
}
