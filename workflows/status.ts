import { setCurrentDetails, upsertMemo, workflowInfo } from '@temporalio/workflow';
import { callPath } from '../agent/calls.ts';
import type { WaitingCall } from '../agent/events.ts';
import { reasonText, stateOf, whatFits } from '../agent/rules/waiting.ts';
import { boundedText } from '../agent/values.ts';
import { type RunStatus, asText } from '../agent/vocabulary.ts';

/** Waiting calls that are told one by one. */
const MOST_LISTED = 10;

/** The Web UI shows about three lines: what is the matter first, then what to do. */
export function showStanding(status: RunStatus, waiting: readonly WaitingCall[]): void {
  const paused = status === 'paused' ? [PAUSED] : [];
  setCurrentDetails([...paused, ...waitingDetails(waiting)].join('\n\n'));
}

const PAUSED = '**Paused**: no model or tool call is begun. To go on, send an Update: `resume`.';

function waitingDetails(waiting: readonly WaitingCall[]): string[] {
  const [first] = waiting;
  if (first === undefined) return [];
  if (waiting.length > 1) return [`**${waiting.length} calls wait for you**`, ...listed(waiting)];
  return [`**Waiting for you**: ${about(first)}`, whatToDo(first)];
}

/** What waits, for who looks without a worker: the server keeps it. Removed when nothing waits any more. */
export function recordWaiting(waiting: readonly WaitingCall[]): void {
  const shown = waiting.slice(0, MOST_LISTED).map(({ call, tool, reason, error }) => ({
    call: boundedText(call, 200),
    tool: boundedText(tool, 100),
    reason,
    error: error && boundedText(error.message, 200),
  }));
  upsertMemo({ waiting: waiting.length === 0 ? null : shown });
}

function listed(waiting: readonly WaitingCall[]): string[] {
  const lines = waiting.slice(0, MOST_LISTED).map((one) => `- ${about(one)} ${whatToDo(one)}`);
  const more = waiting.length - lines.length;
  return more > 0 ? [...lines, `and ${more} more`] : lines;
}

function about({ tool, call, reason, error, note, toolInput }: WaitingCall): string {
  const why = error?.message ?? asText(note ?? toolInput ?? '');
  return `${boundedText(tool, 100)} (\`${call}\`) ${reasonText(reason)}: ${boundedText(why, 300)}`;
}

/** With the call's id as data it is right however many wait. */
function whatToDo(waiting: WaitingCall): string {
  const updates = whatFits(stateOf(waiting)).map((name) => `\`${name}\``);
  const own = callPath(waiting.call).at(-1) ?? waiting.call;
  return `${where(waiting)}send an Update: ${updates.join(', ')}; data \`"${own}"\`.`;
}

/** A decision on a sub-agent's call is sent to the sub-agent's own workflow. */
function where({ call }: WaitingCall): string {
  const path = callPath(call).slice(0, -1);
  if (path.length === 0) return 'To go on, ';
  return `In the child workflow \`${[workflowInfo().workflowId, ...path].join('/')}\` (see Relationships), `;
}
