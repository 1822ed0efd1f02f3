import { limits } from '../../agent/values/limits.ts';
import { LOST } from './activity-task.ts';
import type { Law } from './laws.ts';

/** Failures that do not use up an attempt: of an attempt that somebody else has ended, or that has not begun its work. */
const UNCOUNTED = [LOST, 'ActivityPause', 'ActivityReset', 'WorkerShutdown', 'AttemptLost', 'ToolNotFound'];

/** A call fails as often as it has attempts, and no more, unless somebody wipes its heartbeats out. */
export const attemptsAreCounted: Law = ({ server }) =>
  server.activities.flatMap(({ execution, schedule, ends, isWiped }) => {
    const { activityId, retryPolicy } = schedule;
    // The runner counts; Temporal's own limit is higher by this number, and out of reach where attempts may be held back.
    const most = (retryPolicy?.maximumAttempts ?? 0) - limits.workerDeathAllowance;
    const failed = ends.filter((end) => !UNCOUNTED.includes(end)).length;
    return most > 0 && failed > most && !isWiped
      ? [`${execution.id}: ${activityId} has ${most} attempts, and failed ${failed} times`]
      : [];
  });

/** An attempt that has reported its end is not taken for one that was lost. */
export const onlyLostAttemptsAreLost: Law = ({ server }) =>
  server.activities.flatMap(({ execution, schedule, ends, isWiped }) => {
    const lost = ends.filter((end) => end === LOST).length;
    return ends.includes('WorkerDied') && lost < limits.workerDeathsInARow && !isWiped
      ? [`${execution.id}: ${schedule.activityId} lost ${lost} workers, and failed as WorkerDied`]
      : [];
  });

/** An attempt after one that has reported its end continues from the checkpoint that was stored last. */
export const checkpointsAreKept: Law = ({ world, server }) =>
  server.activities.some(({ isWiped }) => isWiped) ? [] : world.undone;
