import type { ToolCallMeta } from './calls.ts';

/** A call's metadata as it is recorded: without the usual values. */
export type RecordedMeta = Pick<ToolCallMeta, 'root' | 'scope' | 'call'> & Partial<ToolCallMeta>;

/** Values that a recorded call leaves out. They must never change: a call without them may be under way. */
const USUAL = {
  retry: { maxAttempts: 3, initialMs: 1000, backoff: 2, maximumMs: 30_000 },
  timeoutMs: 300_000,
  maxOutputChars: 100_000,
} satisfies Partial<ToolCallMeta>;

export function recordedMeta({ root, scope, call, ...others }: ToolCallMeta): RecordedMeta {
  const usual: { [name: string]: unknown } = USUAL;
  const given = Object.entries(others).filter(([name, value]) => !isSame(usual[name], value));
  return { root, scope, call, ...Object.fromEntries(given) };
}

export function readMeta(recorded: RecordedMeta): ToolCallMeta {
  return { ...USUAL, ...recorded };
}

/** Compares numbers, texts, and objects of these with one order of fields. */
function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
