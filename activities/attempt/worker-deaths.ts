import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/activity';
import type { Heartbeat } from '../../agent/calls/heartbeat-record.ts';
import type { RetryPolicy } from '../../agent/definition/manifest.ts';
import { limits } from '../../agent/values/limits.ts';
import type { Attempt } from './attempt.ts';

/** The SDK writes its log in batches, and this worker may be dead the next moment. */
const LOGGED_MS = 500;

/**
 * Throws when a tool call has lost too many workers in a row: then it may well be the call that kills them, and with
 * them all their other calls. Logs that a former worker was lost. The record does not say whether that worker had started the attempt: a
 * process that stands still is given attempts, and one that dies within the first heartbeat's interval leaves no trace either.
 */
export async function refuseAfterDeaths({ context, heartbeat }: Attempt, call: string): Promise<void> {
  const { info, log } = context;
  const deaths = deathsInARow(info.attempt, heartbeat.record);
  if (deaths === 0) return;
  log.warn('its former worker died or stopped answering', {
    tool: info.activityType,
    call,
  });
  await sleep(LOGGED_MS);
  if (deaths < limits.workerDeathsInARow) return;
  throw ApplicationFailure.create({
    type: 'WorkerDied',
    message: diedText(deaths, `${info.activityType} is not run`),
    nonRetryable: true,
  });
}

function diedText(deaths: number, refused: string): string {
  return `The worker of this call died or stopped answering ${deaths} times in a row, so ${refused} again automatically. Look into the worker's log for what it did last.`;
}

/**
 * The same for a model call whose attempts may be held back: Temporal's limit of attempts is too high then to end a call that kills
 * its workers. Its attempts count as used up, so that a person is asked.
 */
export function failAfterDeaths({ context, heartbeat }: Attempt, { maxAttempts }: RetryPolicy): void {
  const deaths = deathsInARow(context.info.attempt, heartbeat.record);
  if (deaths < limits.workerDeathAllowance) return;
  heartbeat.set({ failures: maxAttempts });
  throw ApplicationFailure.create({
    type: 'WorkerDied',
    message: diedText(deaths, 'the model is not asked'),
  });
}

/** Attempts before this one that left no record of their end. */
export function deathsInARow(attempt: number, { endedAt = 0 }: Heartbeat): number {
  return Math.max(0, attempt - 1 - endedAt);
}
