import type { Context } from '@temporalio/activity';

/** Of a worker that nobody has set one for: rare enough to cost little, often enough to miss one and live. */
const USUAL_MS = 6000;

const intervals = new WeakMap<Context, number>();

/** Called by the worker's activity interceptor before the activity runs. */
export function setBeatInterval(context: Context, everyMs: number): void {
  intervals.set(context, everyMs);
}

/** How long an activity may be silent, in milliseconds: its regular heartbeats are so far apart. */
export function beatInterval(context: Context): number {
  return intervals.get(context) ?? USUAL_MS;
}
