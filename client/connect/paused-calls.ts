import type { temporal } from '@temporalio/proto';
import { parseActivityId } from '../../agent/calls/calls.ts';
import { fieldOf } from '../../agent/values/values.ts';
import { calledIn } from '../../history/read/scheduled-call.ts';
import type { PausedCall } from '../report.ts';

type PendingActivities = temporal.api.workflow.v1.IPendingActivityInfo[] | null | undefined;

/** Reads which calls of a run an operator, or a rule of the server, has paused with Temporal's own command. */
export function pausedCallsIn(pendingActivities: PendingActivities): PausedCall[] {
  return (pendingActivities ?? []).flatMap(({ activityId, paused, pauseInfo }) => {
    const id = parseActivityId(activityId ?? '');
    if (id === undefined || paused !== true) return [];
    const info = pauseInfo?.manual ?? pauseInfo?.rule;
    const [by, reason] = [textOf(info, 'identity'), textOf(info, 'reason')];
    return [{ call: calledIn(id.scope, id.call), by, reason }];
  });
}

function textOf(info: unknown, field: string): string | undefined {
  const value = fieldOf(info, field);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
