import type { Client } from '@temporalio/client';
import type { ActivitySettings } from '../../worker/create-worker.ts';
import type { ActivityTask } from './activity-task.ts';
import type { Execution } from './execution.ts';
import type { LocalMarker } from './local-marker.ts';
import type { VirtualProcess } from './process.ts';
import {
  type Attempt,
  type Command,
  type Failure,
  type Job,
  type Payload,
  durationMs,
  runAttempt,
} from './sdk.ts';
import { SdkHeartbeats } from './sdk-heartbeats.ts';
import { ServiceError } from './service-error.ts';
import type { Values } from './values.ts';

/** A local activity under way. */
export interface LocalCall {
  end: Promise<{ seq: number; job: Job; marker: LocalMarker }>;
  cancel(): void;
}

interface AttemptOptions {
  activityId: string;
  type: string;
  isLocal: boolean;
  attempt: number;
  token: string;
  execution: Execution;
  scheduledAt: number;
  attemptScheduledAt: number;
  heartbeatDetails: Payload | undefined;
  startToCloseMs: number | undefined;
  heartbeatMs: number | undefined;
  /** Returns true if the server has ended the attempt. */
  isOver: () => boolean;
}

/** Runs the real activities of a worker. */
export class ActivityRunner {
  readonly #process: VirtualProcess;
  readonly #settings: ActivitySettings;
  readonly #client: Client;
  readonly #queue: string;
  readonly #values: Values;

  constructor(
    process: VirtualProcess,
    settings: ActivitySettings,
    client: Client,
    queue: string,
    values: Values,
  ) {
    this.#process = process;
    this.#settings = settings;
    this.#client = client;
    this.#queue = queue;
    this.#values = values;
  }

  async run(activity: ActivityTask): Promise<void> {
    activity.begin(this.#process.identity);
    const { token, schedule } = activity;
    const heartbeats = new SdkHeartbeats(this.#process, activity, this.#values);
    const attempt = this.#attempt(
      {
        activityId: schedule.activityId ?? '',
        type: schedule.activityType?.name ?? '',
        isLocal: false,
        attempt: activity.attempt,
        token,
        execution: activity.execution,
        scheduledAt: activity.scheduledAt,
        attemptScheduledAt: activity.attemptScheduledAt,
        heartbeatDetails: activity.heartbeatDetails?.[0],
        startToCloseMs: durationMs(schedule.startToCloseTimeout),
        heartbeatMs: durationMs(schedule.heartbeatTimeout),
        isOver: () => activity.state !== 'started' || activity.token !== token,
      },
      (schedule.input?.payloads ?? []).map(this.#values.read),
      schedule.header?.fields ?? {},
      (details) => heartbeats.give(details),
    );
    heartbeats.begin(attempt);
    const { completed, failed, cancelled } = await attempt.result;
    const told = await heartbeats.end(completed ? 'completed' : failed ? 'failed' : 'cancelled');
    if (told === undefined) return;
    const { details } = told;
    await this.#process.request();
    try {
      if (completed) activity.complete(token, completed.result ?? undefined);
      else if (failed) activity.fail(token, failed.failure ?? {}, details);
      else if (cancelled && activity.cancelRequested)
        activity.cancel(
          token,
          cancelled.failure?.canceledFailureInfo?.details?.payloads ?? activity.heartbeatDetails,
        );
      else if (cancelled && activity.operation !== undefined)
        activity.fail(
          token,
          { message: 'Activity paused', applicationFailureInfo: { type: 'ActivityPause' } },
          details,
        );
      else if (cancelled) activity.fail(token, cancelled.failure ?? {}, details);
    } catch (error) {
      // The attempt is over for the server.
      if (!(error instanceof ServiceError)) throw error;
    }
  }

  /** Runs a local activity of a workflow task. */
  runLocal(
    execution: Execution,
    { scheduleLocalActivity: command, userMetadata }: Command,
    seq: number,
  ): LocalCall {
    const activityId = command?.activityId ?? '';
    const type = command?.activityType ?? '';
    const attempt = this.#attempt(
      {
        activityId,
        type,
        isLocal: true,
        attempt: 1,
        token: `local-${execution.runId}-${seq}`,
        execution,
        scheduledAt: Date.now(),
        attemptScheduledAt: Date.now(),
        heartbeatDetails: undefined,
        startToCloseMs: durationMs(command?.startToCloseTimeout),
        heartbeatMs: undefined,
        isOver: () => !execution.isOpen,
      },
      (command?.arguments ?? []).map(this.#values.read),
      command?.headers ?? {},
      () => undefined,
    );
    const end = async () => {
      const result = await attempt.result;
      await this.#process.proceed();
      const cause = result.failed?.failure ?? result.cancelled?.failure;
      const failure: Failure | undefined = !cause
        ? undefined
        : {
            message: 'Activity task failed',
            cause,
            activityFailureInfo: { activityId, activityType: { name: type } },
          };
      const resolved = result.completed ? { completed: result.completed } : { failed: { failure } };
      return {
        seq,
        job: { resolveActivity: { seq, isLocal: true, result: resolved } } as Job,
        marker: {
          activityId,
          type,
          result: result.completed?.result ?? undefined,
          failure: cause ?? undefined,
          at: Date.now(),
          userMetadata,
        },
      };
    };
    return { end: end(), cancel: () => attempt.cancel('CANCELLED') };
  }

  #attempt(
    of: AttemptOptions,
    args: unknown[],
    headers: { [name: string]: Payload },
    onHeartbeat: (details: unknown) => void,
  ): Attempt {
    const activities = this.#settings.activities as unknown as {
      [name: string]: (...args: unknown[]) => Promise<unknown>;
    };
    const fn = activities[of.type] ?? activities['default'];
    if (fn === undefined) throw new Error(`unreachable: there is a default activity`);
    const { execution } = of;
    return runAttempt(
      (...input: unknown[]) => this.#process.run(execution.id, of.isOver, () => fn(...input)),
      {
        attempt: of.attempt,
        taskQueue: this.#queue,
        isLocal: of.isLocal,
        taskToken: Buffer.from(of.token),
        base64TaskToken: Buffer.from(of.token).toString('base64'),
        activityId: of.activityId,
        activityType: of.type,
        workflowType: execution.request.type,
        heartbeatTimeoutMs: of.heartbeatMs,
        heartbeatDetails: of.heartbeatDetails && this.#values.read(of.heartbeatDetails),
        activityNamespace: 'default',
        workflowNamespace: 'default',
        namespace: 'default',
        workflowExecution: { workflowId: execution.id, runId: execution.runId },
        scheduledTimestampMs: of.scheduledAt,
        startToCloseTimeoutMs: of.startToCloseMs ?? 0,
        scheduleToCloseTimeoutMs: 0,
        currentAttemptScheduledTimestampMs: of.attemptScheduledAt,
        priority: undefined,
        retryPolicy: undefined,
        activityRunId: undefined,
        inWorkflow: true,
      } as never, // what the SDK gives, of this version
      args,
      headers,
      this.#client,
      this.#values.loaded,
      this.#settings.interceptors.activity,
      onHeartbeat,
    );
  }
}
