import type { PlannedAction } from '../calls/calls.ts';
import type { DoneCall } from '../calls/restart.ts';
import type { ToolManifest } from '../definition/manifest.ts';
import { needsApproval } from './approval.ts';
import { earlierCall } from './repeated.ts';
import type { AgentAction } from '../values/vocabulary.ts';

/** Reason to ask before a schedule: a dropped step made the same call, the call needs approval, or the tool is a person or the client. */
export type Check = 'repeated' | 'approval' | 'answer' | 'client_tool';

/** All checks, in their order. */
export const CHECKS: readonly Check[] = ['repeated', 'approval', 'answer', 'client_tool'];

/** Returns the check that stands in place of an activity: each time the call is made, a person or the client is asked. */
export function answererOf(tool: ToolManifest | undefined): Check | undefined {
  if (tool?.human === true) return 'answer';
  return tool?.client === true ? 'client_tool' : undefined;
}

interface CheckedCall {
  planned: PlannedAction;
  action: AgentAction;
  tool: ToolManifest | undefined;
}

/** `done`: calls of dropped steps. `approved`: approvals for the rest of the run. */
export function isNeeded(
  check: Check,
  { planned, action, tool }: CheckedCall,
  { done, approved }: { done: readonly DoneCall[]; approved: readonly string[] | undefined },
): boolean {
  switch (check) {
    case 'repeated':
      return earlierCall(done, planned, action.toolInput) !== undefined;
    case 'approval':
      return needsApproval(planned, approved);
    case 'answer':
    case 'client_tool':
      return answererOf(tool) === check;
  }
}
