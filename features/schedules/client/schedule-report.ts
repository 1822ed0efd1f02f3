import type { ScheduleDescription } from '@temporalio/client';
import { fieldsOf } from '../../../agent/values/json-object.ts';
import type { Json } from '../../../agent/values/vocabulary.ts';
import { plainJson } from '../../../agent/values/values.ts';

/** A schedule as `reloop schedule show --json` prints it; the field names are a contract. */
export interface ScheduleReport {
  name: string;
  agent: string;
  /** Input of each run. */
  input: Json;
  taskQueue: string;
  paused: boolean;
  /** Note of the last pause or resume. */
  note: string | null;
  /** The schedule comes from the config: `reloop schedule sync` keeps it so. */
  synced: boolean;
  /** Calendars, intervals and time zone, as the server has them. */
  spec: Json;
  policies: { overlap: string; catchupWindow: number; pauseOnFailure: boolean };
  /** The next times, at most ten. */
  next: Date[];
  /** The latest runs, oldest first. */
  runs: { id: string; runId: string; scheduledAt: Date }[];
  /** Ids of the runs that are open. */
  running: string[];
  /** Number of starts, of starts that an open run prevented, and of those that an outage of the server did. */
  started: number;
  skipped: number;
  missed: number;
}

/** Memo of a schedule that `sync` made: the task queue of its config. */
export const SYNCED = 'reloopSync';

export function syncedQueue(memo: { [name: string]: unknown } | undefined): string | undefined {
  const queue = memo?.[SYNCED];
  return typeof queue === 'string' ? queue : undefined;
}

export function scheduleReport({
  scheduleId,
  action,
  spec,
  policies,
  state,
  info,
  memo,
}: ScheduleDescription): ScheduleReport {
  const input: unknown = action.args?.[0];
  const { overlap = 'SKIP', catchupWindow, pauseOnFailure } = policies;
  return {
    name: scheduleId,
    agent: agentIn(input),
    input: plainJson(input ?? null),
    taskQueue: action.taskQueue,
    paused: state.paused,
    note: state.note === undefined || state.note === '' ? null : state.note,
    synced: syncedQueue(memo) !== undefined,
    spec: plainJson(spec),
    policies: { overlap, catchupWindow, pauseOnFailure },
    next: info.nextActionTimes,
    runs: info.recentActions.map(({ scheduledAt, action: { workflow } }) => ({
      id: workflow.workflowId,
      runId: workflow.firstExecutionRunId,
      scheduledAt,
    })),
    running: info.runningActions.map(({ workflow }) => workflow.workflowId),
    started: info.numActionsTaken,
    skipped: info.numActionsSkippedOverlap,
    missed: info.numActionsMissedCatchupWindow,
  };
}

function agentIn(input: unknown): string {
  const { agent } = fieldsOf(input);
  return typeof agent === 'string' ? agent : '';
}
