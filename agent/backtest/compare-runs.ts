import { canonicalJson } from '../values/json-object.ts';
import type { OutlinedDecision, RunOutline } from './outline.ts';
import { type InputSchemas, inputInOneForm } from './same-input.ts';

/** Type of the error that a run ends with which makes a call that its recording does not have. */
export const NOT_RECORDED = 'NotRecorded';

/**
 * Comparison of a repeated run with the recorded one. `answer`: only the text of the answer differs; `not_recorded`:
 * the run made a call that the recording does not have, and was ended there; `failed`: it failed for any other reason.
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
  /** Number of equal decisions, from the first on. */
  sameSteps: number;
  /** The first step that is not the same; null on the side that had ended before it. */
  difference: { step: number; before: OutlinedDecision | null; after: OutlinedDecision | null } | null;
}

/** Compares decision by decision, tool and input, up to the first that differs; then the ends. `schemas`: those of the recorded run's tools. */
export function compareRuns(
  before: RunOutline,
  after: RunOutline,
  schemas: InputSchemas = new Map(),
): RunComparison {
  const longest = Math.max(before.decisions.length, after.decisions.length);
  let step = 1;
  while (step <= longest && isSame(before.decisions[step - 1], after.decisions[step - 1], schemas)) step++;
  const difference = step > longest ? null : differenceAt(step, before, after);
  return { verdict: verdictOf(before, after, difference), sameSteps: step - 1, difference };
}

function differenceAt(step: number, before: RunOutline, after: RunOutline): RunComparison['difference'] {
  const index = step - 1;
  return { step, before: before.decisions[index] ?? null, after: after.decisions[index] ?? null };
}

function isSame(
  before: OutlinedDecision | undefined,
  after: OutlinedDecision | undefined,
  schemas: InputSchemas,
): boolean {
  return comparable(before, schemas) === comparable(after, schemas);
}

function comparable(decision: OutlinedDecision | undefined, schemas: InputSchemas): string {
  if (decision?.type !== 'act') return canonicalJson(decision ?? null);
  const actions = decision.actions.map(({ tool, toolInput }) => ({
    tool,
    toolInput: inputInOneForm(toolInput, schemas.get(tool)),
  }));
  return canonicalJson({ type: 'act', actions });
}

function verdictOf(
  { ending: before }: RunOutline,
  { ending: after }: RunOutline,
  difference: RunComparison['difference'],
): Verdict {
  if (after.error?.type === NOT_RECORDED) return 'not_recorded';
  const failedAlike = before.status === after.status && before.error?.type === after.error?.type;
  if (after.status === 'failed' && !failedAlike) return 'failed';
  if (difference !== null) {
    return difference.before?.type === 'finish' && difference.after?.type === 'finish'
      ? 'answer'
      : 'decisions';
  }
  const end = ({ status, stopReason, output }: typeof before) => canonicalJson([status, stopReason, output]);
  return end(before) === end(after) ? 'same' : 'answer';
}
