import { parseActivityId } from '../../agent/calls/calls.ts';
import { callWithin } from '../../agent/rules/call-rules.ts';
import { REWIND_POINT } from '../../agent/run/rewind-point.ts';
import type { Fact } from './fact.ts';

/** Reads the id of an activity, or a sub-agent's workflow id; undefined for ids of others. `run`: workflow id. */
export function scheduledCall(
  run: string,
  { of, workId }: { of: 'activity' | 'child'; workId: string },
): { call: string; scope: number; n: number } | undefined {
  // A sub-agent's run is called as the parent's, a slash, and the call.
  if (of === 'child' && !workId.startsWith(`${run}/`)) return undefined;
  const parsed = parseActivityId(of === 'child' ? workId.slice(run.length + 1) : workId);
  if (parsed === undefined) return undefined;
  const { scope, n } = parsed;
  return { call: calledIn(scope, parsed.call), scope, n };
}

/** A call as people know it. */
export function calledIn(scope: number, call: string): string {
  return scope === 0 ? call : callWithin(String(scope), call);
}

/** The step that a run rewinds itself to: its calls from there on are over, and dropped. undefined: the fact says nothing of the kind. */
export async function rewindStep(fact: Fact): Promise<number | undefined> {
  if (fact.type !== 'scheduled' || fact.name !== REWIND_POINT) return undefined;
  const step = await fact.input();
  return typeof step === 'number' ? step : undefined;
}
