import { parseActivityId } from '../../agent/calls/calls.ts';
import { EARLIER_EFFECTS } from '../../agent/calls/restart.ts';
import { callWithin } from '../../agent/rules/call-rules.ts';
import type { OwnRead } from '../../agent/run/run-fact.ts';
import { REWIND_POINT } from '../../agent/run/run-input.ts';
import type { Fact } from './fact.ts';

/** Reads the call in an activity id, or in a sub-agent's workflow id; undefined for other ids. `run`: workflow id of the reader. */
export function scheduledCall(
  run: string,
  { of, workId }: { of: 'activity' | 'child'; workId: string },
): { call: string; scope: number; n: number } | undefined {
  // A sub-agent's workflow id is the parent's id, a slash, and the call.
  if (of === 'child' && !workId.startsWith(`${run}/`)) return undefined;
  const parsed = parseActivityId(of === 'child' ? workId.slice(run.length + 1) : workId);
  if (parsed === undefined) return undefined;
  const { scope, n } = parsed;
  return { call: calledIn(scope, parsed.call), scope, n };
}

/** Returns the call id that people type: with its agent's number, if the agent is not the workflow's first. */
export function calledIn(scope: number, call: string): string {
  return scope === 0 ? call : callWithin(String(scope), call);
}

/** Data that activities of Reloop read and that belong to no step, by the activity's name. */
export const ownReads: ReadonlyMap<string, OwnRead> = new Map([
  ['resolveAgent', 'agent'],
  [EARLIER_EFFECTS, 'effects'],
  [REWIND_POINT, 'point'],
]);

/** Returns the step that a run rewinds itself to: calls of that step and later are dropped. undefined: the fact is not a rewind. */
export async function rewindStep(fact: Fact): Promise<number | undefined> {
  if (fact.type !== 'scheduled' || ownReads.get(fact.name) !== 'point') return undefined;
  const step = await fact.input();
  return typeof step === 'number' ? step : undefined;
}
