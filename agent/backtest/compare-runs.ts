import { canonicalJson } from '../json-object.ts';
import type { Decided, RunOutline } from './outline.ts';

/** Type of the error that a run ends with which makes a call that its recording does not have. */
export const NOT_RECORDED = 'NotRecorded';

/**
 * How a run that was asked again compares with the recorded one. `answer`: every decision is the same but what the answer
 * says; `not_recorded`: it made a call that the recording does not have, and was ended there; `failed`: of anything else.
 */
export type Verdict = 'same' | 'answer' | 'decisions' | 'not_recorded' | 'failed';

export const verdicts = [
  'same',
  'answer',
  'decisions',
  'not_recorded',
  'failed',
] as const satisfies readonly Verdict[];

export interface RunComparison {
  verdict: Verdict;
  /** How many decisions are the same, from the first on. */
  sameSteps: number;
  /** The first step that is not the same; null on the side that had ended before it. */
  difference: { step: number; then: Decided | null; now: Decided | null } | null;
}

/** Compares decision by decision, tool and input, up to the first that differs; then the ends. */
export function compareRuns(before: RunOutline, after: RunOutline): RunComparison {
  const longest = Math.max(before.decisions.length, after.decisions.length);
  let step = 1;
  while (step <= longest && isSame(before.decisions[step - 1], after.decisions[step - 1])) step++;
  const [then, now] = [before.decisions[step - 1] ?? null, after.decisions[step - 1] ?? null];
  const difference = step > longest ? null : { step, then, now };
  return { verdict: verdictOf(before, after, difference), sameSteps: step - 1, difference };
}

export function isSame(then: Decided | undefined, now: Decided | undefined): boolean {
  return canonicalJson(then ?? null) === canonicalJson(now ?? null);
}

function verdictOf(
  { ending: then }: RunOutline,
  { ending: now }: RunOutline,
  difference: RunComparison['difference'],
): Verdict {
  if (now.error?.type === NOT_RECORDED) return 'not_recorded';
  const failedAlike = then.status === now.status && then.error?.type === now.error?.type;
  if (now.status === 'failed' && !failedAlike) return 'failed';
  if (difference !== null) {
    return difference.then?.type === 'finish' && difference.now?.type === 'finish' ? 'answer' : 'decisions';
  }
  const end = ({ status, stopReason, output }: typeof then) => canonicalJson([status, stopReason, output]);
  return end(then) === end(now) ? 'same' : 'answer';
}
