import type { PlannedAction } from '../calls/calls.ts';
import { canonicalJson } from '../values/json-object.ts';
import type { AgentAction, Json } from '../values/vocabulary.ts';
import type { OperatorDecision } from './decisions.ts';

/**
 * Maximum of approvals that hold for the rest of a run: 100 tools, and 100 inputs. The oldest approval is forgotten first, and a
 * person is asked again. An approved input never displaces an approved tool.
 */
const MOST_REMEMBERED = 100;

/** Returns true if a person has to approve the action. `approved`: approvals for the rest of the run. */
export function needsApproval(
  { tool, toolInput, approval, approved: isApproved }: PlannedAction,
  approved: readonly string[] = [],
): boolean {
  if (approval === undefined || isApproved === true) return false;
  return !approved.includes(keyOf(tool)) && !approved.includes(keyOf(tool, toolInput));
}

/** Returns the approvals for the rest of the run after a decision on `action`. */
export function approvedBy(
  decision: OperatorDecision | undefined,
  { tool, toolInput }: AgentAction,
  approved: string[] | undefined,
): string[] | undefined {
  if (decision?.type !== 'approve' || decision.remember === undefined) return approved;
  const key = decision.remember === 'tool' ? keyOf(tool) : keyOf(tool, toolInput);
  const all = [...(approved ?? []).filter((other) => other !== key), key];
  const tools = all.filter(isToolKey).slice(-MOST_REMEMBERED);
  return [...tools, ...all.filter((other) => !isToolKey(other)).slice(-MOST_REMEMBERED)];
}

/** The key of a tool has one element, the key of an input has two. */
function isToolKey(key: string): boolean {
  return (JSON.parse(key) as unknown[]).length === 1; // written by keyOf
}

/** Key of a tool, or of one input of the tool, as JSON. */
function keyOf(...parts: [tool: string, input?: Json]): string {
  return canonicalJson(parts);
}
