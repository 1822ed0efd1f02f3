import type { PlannedAction } from '../calls/calls.ts';
import { canonicalJson } from '../values/json-object.ts';
import type { Json } from '../values/vocabulary.ts';

/**
 * Approvals that hold for the rest of a run, as its counters keep them: so many tools, and so many inputs. The oldest are forgotten, and
 * a person is asked again; inputs never displace a tool.
 */
const MOST_REMEMBERED = 100;

/** Whether a person has to be asked before the action is run. `approved`: for the rest of the run. */
export function needsApproval(
  { tool, toolInput, approval, approved: isApproved }: PlannedAction,
  approved: readonly string[] = [],
): boolean {
  if (approval === undefined || isApproved === true) return false;
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
  const all = [...approved.filter((other) => other !== key), key];
  const tools = all.filter(isOfTool).slice(-MOST_REMEMBERED);
  return [...tools, ...all.filter((one) => !isOfTool(one)).slice(-MOST_REMEMBERED)];
}

/** A tool's key is a list of its name alone. */
function isOfTool(key: string): boolean {
  return (JSON.parse(key) as unknown[]).length === 1; // written by keyOf
}

/** A tool, or one input of it. */
function keyOf(...parts: [tool: string, input?: Json]): string {
  return canonicalJson(parts);
}
