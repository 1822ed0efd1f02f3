import { defineSearchAttributeKey } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { callPath } from '../agent/calls.ts';
import { searchAttribute } from '../agent/names.ts';
import type { WaitingCall } from '../agent/events.ts';
import { fittingDecisions } from '../agent/rules/decisions.ts';
import { stateOf } from '../agent/rules/waiting.ts';
import { boundedText } from '../agent/values.ts';
import type { RunStatus } from '../agent/vocabulary.ts';
import type { AgentRunInput } from './messages.ts';

const ReloopAgent = defineSearchAttributeKey(searchAttribute.agent, 'KEYWORD');
const ReloopSession = defineSearchAttributeKey(searchAttribute.session, 'KEYWORD');
const ReloopStatus = defineSearchAttributeKey(searchAttribute.status, 'KEYWORD');

export type StatusWriter = (status: RunStatus) => void;

/**
 * Writes search attributes when the status changes, never per step. An attribute that the server does not know would
 * block the workflow for good, so nothing is written unless the run's start recorded that they are registered. A run
 * that was continued as new has its attributes already.
 */
export function statusWriter(registered: boolean, input: AgentRunInput): StatusWriter {
  const continued = input.from !== undefined && input.restart === undefined;
  let written: RunStatus | undefined = continued ? 'running' : undefined;
  return (status) => {
    if (!registered || status === written) return;
    upsertSearchAttributes([
      ...(written === undefined ? fixedAttributes(input) : []),
      { key: ReloopStatus, value: status },
    ]);
    written = status;
  };
}

function fixedAttributes({ agent, session }: AgentRunInput) {
  return [
    { key: ReloopAgent, value: agent },
    ...(session === undefined ? [] : [{ key: ReloopSession, value: session }]),
  ];
}

/** The Web UI shows about three lines: what is the matter first, then what to do. */
export function showWaiting(waiting: readonly WaitingCall[]): void {
  const [first] = waiting;
  if (first === undefined) return setCurrentDetails('');
  const more = waiting.length > 1 ? ` (and ${waiting.length - 1} more)` : '';
  const which = waiting.length > 1 ? ", with the call's id as data" : '';
  const updates = fittingDecisions(stateOf(first)).map((name) => `\`${name}\``);
  const why = boundedText(first.error?.message ?? '', 300);
  setCurrentDetails(
    [
      `**Waiting for you**: ${first.tool} (\`${first.call}\`) ${first.reason}${more}: ${why}`,
      `${where(first)}send an Update: ${updates.join(', ')}${which}.`,
    ].join('\n\n'),
  );
}

/** A decision on a sub-agent's call is sent to the sub-agent's own workflow. */
function where({ call }: WaitingCall): string {
  const path = callPath(call).slice(0, -1);
  if (path.length === 0) return 'To go on, ';
  return `In the child workflow \`${[workflowInfo().workflowId, ...path].join('/')}\` (see Relationships), `;
}
