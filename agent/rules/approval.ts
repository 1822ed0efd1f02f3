import type { PlannedAction } from '../calls.ts';
import { canonicalJson } from '../json-object.ts';
import type { Json } from '../vocabulary.ts';

/** Approvals that hold for the rest of a run, as its counters keep them. The oldest are forgotten: then a person is asked again. */
const MOST_REMEMBERED = 100;

/** Whether a person has to be asked before the action is run. `approved`: for the rest of the run. */
export function needsApproval(
  { tool, toolInput, approval }: PlannedAction,
  approved: readonly string[] = [],
): boolean {
  if (approval === undefined) return false;
  return !approved.includes(keyOf(tool)) && !approved.includes(keyOf(tool, toolInput));
}

/** With one more approval that is not asked for again. */
export function withApproved(
  approved: readonly string[] = [],
  tool: string,
  input: Json,
  what: 'tool' | 'input',
): string[] {
  const key = what === 'tool' ? keyOf(tool) : keyOf(tool, input);
  return [...approved.filter((other) => other !== key), key].slice(-MOST_REMEMBERED);
}

/** A tool, or one input of it. */
function keyOf(...parts: [tool: string, input?: Json]): string {
  return canonicalJson(parts);
}
