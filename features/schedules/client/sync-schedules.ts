import { type Client, ScheduleNotFoundError } from '@temporalio/client';
import type { ScheduleDefinition } from '../rules/schedule-definition.ts';
import { InvalidInput } from '../../../client/connect/errors.ts';
import { attributesOfRun, startWithAttributes } from '../../../client/start/start-attributes.ts';
import { differences } from './compare-schedules.ts';
import { type SentSchedule, scheduleToSend, temporalOptions } from './temporal-schedule.ts';
import { SYNCED, syncedQueue } from './schedule-report.ts';

export interface SyncOptions {
  /** Say what would change, and change nothing. */
  dryRun?: boolean | undefined;
  /** Delete schedules that are not in the config any more. Without it they are refused. */
  delete?: boolean | undefined;
}

/** A schedule that the server has, or had, otherwise than the config. `parts`: the parts that differ. */
export type ScheduleChange =
  | { name: string; change: 'create' | 'delete' | 'none' }
  | { name: string; change: 'update'; parts: string[] };

/**
 * Makes the server have these schedules. Those of other task queues, and those that `sync` did not make, stay as they are. Everything is
 * checked before the first change. A paused schedule stays paused. Throws InvalidInput.
 */
export async function syncSchedules(
  client: Client,
  taskQueue: string,
  definitions: { readonly [name: string]: ScheduleDefinition },
  options: SyncOptions = {},
): Promise<ScheduleChange[]> {
  const wanted = Object.entries(definitions).map(([name, one]) => scheduleToSend(name, one, taskQueue));
  const changes = await changesTo(client, taskQueue, wanted);
  if (options.dryRun === true) return changes;
  const gone = changes.filter(({ change }) => change === 'delete').map(({ name }) => name);
  if (gone.length > 0 && options.delete !== true) {
    throw new InvalidInput(
      `Not in the config any more: ${gone.join(', ')}. Nothing was changed. Add --delete (in a program: delete: true) to delete ${gone.length === 1 ? 'it' : 'them'}.`,
    );
  }
  for (const { name, change } of changes) {
    const schedule = wanted.find((one) => one.name === name);
    if (change === 'delete') await client.schedule.getHandle(name).delete();
    else if (schedule !== undefined && change === 'create')
      await createSchedule(client, schedule, { [SYNCED]: taskQueue });
    else if (schedule !== undefined && change === 'update') await updateSchedule(client, schedule);
  }
  return changes;
}

async function changesTo(
  client: Client,
  taskQueue: string,
  wanted: readonly SentSchedule[],
): Promise<ScheduleChange[]> {
  const changes: ScheduleChange[] = [];
  for (const one of wanted) changes.push(await changeTo(client, taskQueue, one));
  for await (const { scheduleId: name, memo } of client.schedule.list()) {
    if (syncedQueue(memo) !== taskQueue || wanted.some((one) => one.name === name)) continue;
    changes.push({ name, change: 'delete' });
  }
  return changes;
}

async function changeTo(client: Client, taskQueue: string, wanted: SentSchedule): Promise<ScheduleChange> {
  const { name } = wanted;
  const found = await client.schedule
    .getHandle(name)
    .describe()
    .catch((error: unknown) => {
      if (error instanceof ScheduleNotFoundError) return undefined;
      throw error;
    });
  if (found === undefined) return { name, change: 'create' };
  if (syncedQueue(found.memo) !== taskQueue) {
    throw new InvalidInput(
      `Schedule "${name}" is on the server already, and is not one of this config. Rename yours, or delete that one.`,
    );
  }
  const parts = differences(wanted, found);
  return parts.length === 0 ? { name, change: 'none' } : { name, change: 'update', parts };
}

/** Creates a schedule with the search attributes of a run, as far as the server knows them. */
export async function createSchedule(
  client: Client,
  schedule: SentSchedule,
  memo: { [name: string]: unknown },
  paused = false,
): Promise<void> {
  await startWithAttributes(client, attributesOfRun(schedule.starts[0]), (attributes) =>
    client.schedule.create({
      scheduleId: schedule.name,
      ...temporalOptions(schedule, attributes),
      memo,
      state: { paused },
    }),
  );
}

async function updateSchedule(client: Client, schedule: SentSchedule): Promise<void> {
  await startWithAttributes(client, attributesOfRun(schedule.starts[0]), (attributes) =>
    client.schedule.getHandle(schedule.name).update(({ state }) => ({
      ...temporalOptions(schedule, attributes),
      state,
    })),
  );
}
