import { type ToolCallMeta, parseActivityId } from './calls.ts';

/** A call's metadata as it is recorded: without what the activity's id says, and without the usual values. */
export type RecordedMeta = Pick<ToolCallMeta, 'root'> & Partial<ToolCallMeta>;

/** Values that a recorded call leaves out. They must never change: a call without them may be under way. */
const USUAL = {
  retry: { maxAttempts: 3, initialMs: 1000, backoff: 2, maximumMs: 30_000 },
  timeoutMs: 300_000,
  maxOutputChars: 100_000,
} satisfies Partial<ToolCallMeta>;

export function recordedMeta(meta: ToolCallMeta, activityId: string): RecordedMeta {
  const { root, ...others } = meta;
  const known: { [name: string]: unknown } = knownOf(activityId);
  const given = Object.entries(others).filter(([name, value]) => !isSame(known[name], value));
  return { root, ...Object.fromEntries(given) };
}

export function readMeta(recorded: RecordedMeta, activityId: string): ToolCallMeta {
  return { scope: 0, call: '', ...knownOf(activityId), ...recorded };
}

function knownOf(activityId: string): typeof USUAL & Partial<Pick<ToolCallMeta, 'scope' | 'call'>> {
  const place = parseActivityId(activityId);
  return place === undefined ? USUAL : { ...USUAL, scope: place.scope, call: place.call };
}

/** Compares numbers, texts, and objects of these with one order of fields. */
function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
