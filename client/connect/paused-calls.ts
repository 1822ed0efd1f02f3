import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { callPath } from '../../agent/calls/call-path.ts';
import { parseActivityId } from '../../agent/calls/calls.ts';
import type { PausedCall } from '../../agent/run/events.ts';
import { aFewAtATime } from '../../agent/values/concurrent.ts';
import { fieldOf } from '../../agent/values/values.ts';
import type { RunRef } from '../../history/read/pages.ts';
import { calledIn } from '../../history/read/scheduled-call.ts';
import { advised, shellWord, typedCommand } from './cli-name.ts';
import { DecisionRefused } from './errors.ts';

type Description = Pick<
  temporal.api.workflowservice.v1.IDescribeWorkflowExecutionResponse,
  'pendingActivities' | 'pendingChildren'
>;

/** Sub-agents that are looked at, of each run. */
const MOST_CHILDREN = 20;

/** Reads which calls of a run, and of its sub-agents, an operator, or a rule of the server, has paused with Temporal's own command. */
export async function pausedCallsIn(
  client: Client,
  workflowId: string,
  { pendingActivities, pendingChildren }: Description,
): Promise<PausedCall[]> {
  const own = (pendingActivities ?? []).flatMap(({ activityId, paused, pauseInfo }) => {
    const id = parseActivityId(activityId ?? '');
    if (id === undefined || !activityId || paused !== true) return [];
    const info = pauseInfo?.manual ?? pauseInfo?.rule;
    const [by, reason] = [textOf(info, 'identity'), textOf(info, 'reason')];
    return [{ call: calledIn(id.scope, id.call), workflowId, activityId, by, reason }];
  });
  const below = (pendingChildren ?? [])
    .flatMap(({ workflowId: child }) => (child?.startsWith(`${workflowId}/`) === true ? [child] : []))
    .slice(0, MOST_CHILDREN);
  const within = await aFewAtATime(below, 4, async (child) => {
    const paused = await pausedCallsOf(client, { workflowId: child });
    const call = child.slice(workflowId.length + 1);
    return paused.map((one) => ({ ...one, call: `${call}/${one.call}` }));
  });
  return [...own, ...within.flat()];
}

/** The same for the run of that id. */
export async function pausedCallsOf(client: Client, execution: Partial<RunRef>): Promise<PausedCall[]> {
  const { workflowId = '' } = execution;
  const { namespace } = client.options;
  const description = await client.workflowService.describeWorkflowExecution({ namespace, execution });
  return pausedCallsIn(client, workflowId, description);
}

function textOf(info: unknown, field: string): string | undefined {
  const value = fieldOf(info, field);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** `Call 1.1 is paused in Temporal by sue: an incident.` */
export function pausedCallText({ call, by, reason }: PausedCall): string {
  const [who, why] = [by === undefined ? '' : ` by ${by}`, reason?.replace(/\.$/u, '')];
  return `Call ${call} is paused in Temporal${who}${why === undefined ? '' : `: ${why}`}.`;
}

/** Says how a paused call continues. */
export function unpauseAdvice({ call, workflowId, activityId }: PausedCall): string {
  const path = callPath(call);
  const below = path
    .slice(0, -1)
    .map((part) => `/${part}`)
    .join('');
  const id = workflowId.endsWith(below) ? workflowId.slice(0, workflowId.length - below.length) : workflowId;
  const command = `temporal activity unpause --workflow-id ${shellWord(workflowId)} --activity-id ${shellWord(activityId)}`;
  const isToolCall = path.at(-1)?.includes('.') === true;
  const end = isToolCall ? typedCommand('cancel', [id, call]) : typedCommand('cancel', [id]);
  return `\`${command}\`, or Unpause in the Web UI, starts its next attempt; \`${end}\` ends the ${isToolCall ? 'call' : 'run'}.`;
}

/**
 * Throws the error of a decision. A refusal also says that the call is paused in Temporal, and what to do, if it is. `call`: the call that
 * the decision is for; undefined: any call.
 */
export async function throwWithPause(
  client: Client,
  id: string,
  call: string | undefined,
  error: unknown,
): Promise<never> {
  if (!(error instanceof DecisionRefused)) throw error;
  const found = await pausedCallsOf(client, { workflowId: id }).catch(() => []);
  const paused = found.filter((one) => call === undefined || one.call === call);
  if (paused.length === 0) throw error;
  error.message += ` ${paused.map(pausedCallText).join(' ')} No decision continues it.`;
  throw advised(error, paused.map(unpauseAdvice).join(' '));
}
