import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleDescription,
  ScheduleNotFoundError,
} from '@temporalio/client';
import type { OverlapPolicy, ScheduleDefinition } from '../rules/schedule-definition.ts';
import { AGENT_BATCH, AGENT_RUN } from '../../../workflows/messages.ts';
import { InvalidInput, ScheduleNotFound } from '../../../client/connect/errors.ts';
import { openMethods } from '../../../client/connect/open-calls.ts';
import { scheduleToSend } from './temporal-schedule.ts';
import { type ScheduleReport, scheduleReport, syncedQueue } from './schedule-report.ts';
import { createSchedule } from './sync-schedules.ts';

export interface ScheduleSummary {
  name: string;
  paused: boolean;
  /** The schedule comes from the config. */
  synced: boolean;
  /** The next time; null: none. */
  next: Date | null;
  /** Id of the latest run; null: none yet. */
  lastRun: string | null;
}

export interface CreateScheduleOptions {
  /** Start nothing before a `resume`. */
  paused?: boolean | undefined;
  /** Default: the client's. */
  taskQueue?: string | undefined;
}

export interface BackfillOptions {
  start: Date;
  end: Date;
  /** Default: the schedule's. */
  overlap?: OverlapPolicy | undefined;
}

/** Looks for the run of a trigger. A start that waits for an earlier run has none. */
const LOOKS = 40;
const LOOK_MS = 100;

/** A Temporal Schedule that starts runs or batches. Nothing here needs a worker. */
export class AgentSchedule {
  readonly name: string;
  readonly #client: Client;
  readonly #taskQueue: string;

  static {
    openMethods(this, (schedule) => schedule.#client);
  }

  constructor(client: Client, name: string, taskQueue: string) {
    this.name = name;
    this.#client = client;
    this.#taskQueue = taskQueue;
  }

  /** Throws InvalidInput for a definition that cannot be, and where there is a schedule of that name. */
  async create(
    definition: ScheduleDefinition,
    { paused, taskQueue = this.#taskQueue }: CreateScheduleOptions = {},
  ): Promise<void> {
    const checked = scheduleToSend(this.name, definition, taskQueue);
    try {
      await createSchedule(this.#client, checked, {}, paused);
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
      throw new InvalidInput(
        `There is a schedule "${this.name}" already. Delete it, or choose another name.`,
        {
          cause: error,
        },
      );
    }
  }

  /** Throws ScheduleNotFound, like all further methods. */
  async describe(): Promise<ScheduleReport> {
    return scheduleReport(await this.#description());
  }

  async pause(note?: string): Promise<void> {
    await this.#description();
    await this.#handle().pause(note);
  }

  async resume(note?: string): Promise<void> {
    await this.#description();
    await this.#handle().unpause(note);
  }

  /** Starts a run or a batch now. Resolves with its id; undefined where an open run of the schedule prevents or delays the start. */
  async trigger(overlap?: OverlapPolicy): Promise<string | undefined> {
    const before = scheduleReport(await this.#description());
    await this.#handle().trigger(overlap);
    for (let look = 0; look < LOOKS; look++) {
      const now = await this.describe();
      const run = now.runs.find(({ runId }) => before.runs.every((one) => one.runId !== runId));
      if (run !== undefined || now.skipped > before.skipped) return run?.id;
      await sleep(LOOK_MS);
    }
    return undefined;
  }

  /** Starts the runs of a time that is over, as if it passed now. */
  async backfill({ start, end, overlap }: BackfillOptions): Promise<void> {
    if (!(start < end))
      throw new InvalidInput('start is not before end, so that there is no time to make up for.');
    const { policies } = await this.#description();
    await this.#handle().backfill({ start, end, overlap: overlap ?? policies.overlap });
  }

  /** Runs that it started stay. */
  async delete(): Promise<void> {
    await this.#description();
    await this.#handle().delete();
  }

  #handle() {
    return this.#client.schedule.getHandle(this.name);
  }

  /** A schedule that starts another workflow than a run or a batch is not ours to change. */
  async #description(): Promise<ScheduleDescription> {
    try {
      const found = await this.#handle().describe();
      if (isOurs(found.action)) return found;
    } catch (error) {
      if (!(error instanceof ScheduleNotFoundError)) throw error;
    }
    throw new ScheduleNotFound(this.name);
  }
}

/** True for the action of a schedule that starts runs or batches. */
function isOurs(action: { workflowType: string } | undefined): boolean {
  return action?.workflowType === AGENT_RUN || action?.workflowType === AGENT_BATCH;
}

/** Schedules that start runs of agents, by name. The server lists a new schedule after some moments. */
export async function listSchedules(client: Client): Promise<ScheduleSummary[]> {
  const list: ScheduleSummary[] = [];
  for await (const { scheduleId: name, action, state, info, memo } of client.schedule.list()) {
    if (!isOurs(action)) continue;
    const [next = null] = info.nextActionTimes;
    const lastRun = info.recentActions.at(-1)?.action.workflow.workflowId ?? null;
    list.push({ name, paused: state.paused, synced: syncedQueue(memo) !== undefined, next, lastRun });
  }
  return list.toSorted((a, b) => a.name.localeCompare(b.name));
}
