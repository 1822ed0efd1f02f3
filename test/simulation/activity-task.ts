import { type Failure, type Payload, durationMs, encodeValue, protos, type temporal } from './sdk.ts';
import { type ActivityResult, endActivity } from './activity-end.ts';
import type { Execution } from './execution.ts';
import { notFound } from './service-error.ts';

const { TimeoutType, RetryState } = protos.temporal.api.enums.v1;
/** The server's detail of a cancellation without an attempt. */
const NOT_STARTED = 'ACTIVITY_ID_NOT_STARTED';
/** End of an attempt whose worker did not report it. */
export const LOST = 'lost';

export type ActivitySchedule = temporal.api.history.v1.IActivityTaskScheduledEventAttributes;

/** An activity as the server keeps it: its attempts, time-outs, heartbeats, and what its worker may still answer. */
export class ActivityTask {
  readonly execution: Execution;
  readonly seq: number;
  readonly scheduledEventId: number;
  readonly schedule: ActivitySchedule;
  readonly scheduledAt = Date.now();
  attempt = 1;
  state: 'scheduled' | 'started' | 'pausing' | 'closed' = 'scheduled';
  cancelRequested = false;
  /** Somebody operates on the activity: its attempt hears of it, and a failed one is no end. */
  operation: 'paused' | 'reset' | undefined;
  /** The workflow does not wait for the end of the activity after it has cancelled it. */
  readonly isTryCancel: boolean;
  heartbeatDetails: Payload[] | undefined;
  lastHeartbeatAt: number | undefined;
  startedAt = 0;
  attemptScheduledAt = Date.now();
  lastFailure: Failure | undefined;
  identity = '';
  /** Ends of its attempts, in order: the types of the failures that their workers reported, or {@link LOST}. */
  readonly ends: string[] = [];
  /** Somebody has wiped the heartbeat details out. */
  isWiped = false;
  #tries = 1;
  #timers: NodeJS.Timeout[] = [];
  #beatTimer: NodeJS.Timeout | undefined;

  constructor(
    execution: Execution,
    seq: number,
    scheduledEventId: number,
    schedule: ActivitySchedule,
    isTryCancel: boolean,
  ) {
    this.isTryCancel = isTryCancel;
    this.execution = execution;
    this.seq = seq;
    this.scheduledEventId = scheduledEventId;
    this.schedule = schedule;
    execution.server.activities.push(this);
  }

  /** The names of the activity, if its workflow learns of a cancellation at once. */
  ifTried(): { activityId: string; activityType: string } | undefined {
    const { activityId, activityType } = this.schedule;
    return this.isTryCancel
      ? { activityId: activityId ?? '', activityType: activityType?.name ?? '' }
      : undefined;
  }

  get token(): string {
    return `${this.execution.runId}|${this.scheduledEventId}|${this.#tries}`;
  }

  /** A worker takes the attempt. */
  begin(identity: string): void {
    this.state = 'started';
    this.identity = identity;
    this.startedAt = Date.now();
    const limit = durationMs(this.schedule.startToCloseTimeout);
    if (limit !== undefined)
      this.#timers.push(setTimeout(() => this.#timeOut(TimeoutType.TIMEOUT_TYPE_START_TO_CLOSE), limit));
    this.#expectBeat();
  }

  /** Resolves what the worker is told. Throws NotFound for an attempt that is over. */
  heartbeat(
    token: string,
    details: Payload[] | undefined,
  ): { cancelRequested: boolean; activityPaused: boolean; activityReset: boolean } {
    this.#check(token);
    this.heartbeatDetails = details;
    this.lastHeartbeatAt = Date.now();
    this.#expectBeat();
    return {
      cancelRequested: this.cancelRequested,
      activityPaused: this.operation === 'paused',
      activityReset: this.operation === 'reset',
    };
  }

  complete(token: string, result: Payload | undefined): void {
    this.#check(token);
    this.#close({ type: 'completed', result });
  }

  cancel(token: string, details: Payload[] | undefined): void {
    this.#check(token);
    this.#close({ type: 'canceled', details });
  }

  /** `details`: of the worker's last heartbeat. The server keeps its own only if there are none. */
  fail(token: string, failure: Failure, details?: Payload[]): void {
    this.#check(token);
    if (details !== undefined) this.heartbeatDetails = details;
    this.ends.push(failure.applicationFailureInfo?.type ?? '');
    this.#attemptFailed(failure, { type: 'failed', failure });
  }

  /** Ends the attempt under way, whichever it is. Throws NotFound if none is. */
  failById(failure: Failure, details: Payload[] | undefined): void {
    this.#check(this.token);
    if (details !== undefined) this.heartbeatDetails = details;
    this.ends.push(LOST);
    this.#attemptFailed(failure, { type: 'failed', failure });
  }

  /**
   * As the server does: an attempt that has not begun ends at once. The activity may have ended while the task that cancels the activity was
   * under way.
   */
  requestCancel(): void {
    this.cancelRequested = true;
    if (this.state === 'closed') return;
    if (this.state !== 'started') this.#close({ type: 'canceled', details: [encodeValue(NOT_STARTED)] });
  }

  /** As `temporal activity pause` or `reset`. */
  operate(operation: 'paused' | 'reset'): void {
    if (this.state === 'started') this.operation ??= operation;
  }

  /** As `temporal activity unpause`. Runs a held attempt again, however many there may be. */
  unpause(flags: { resetAttempts: boolean; resetHeartbeats: boolean }): void {
    if (this.operation !== 'paused') return;
    this.operation = undefined;
    if (flags.resetHeartbeats) {
      this.heartbeatDetails = undefined;
      this.isWiped = true;
    }
    if (this.state === 'pausing') this.#tryAgain(flags.resetAttempts ? 1 : this.attempt + 1);
  }

  /** The execution is over. */
  drop(): void {
    this.state = 'closed';
    this.#clear();
  }

  #check(token: string): void {
    if (this.state !== 'started' || token !== this.token) throw notFound('activity task');
  }

  #expectBeat(): void {
    clearTimeout(this.#beatTimer);
    const limit = durationMs(this.schedule.heartbeatTimeout);
    if (limit !== undefined)
      this.#beatTimer = setTimeout(() => this.#timeOut(TimeoutType.TIMEOUT_TYPE_HEARTBEAT), limit);
  }

  #timeOut(type: temporal.api.enums.v1.TimeoutType): void {
    const failure: Failure = {
      message:
        type === TimeoutType.TIMEOUT_TYPE_HEARTBEAT
          ? 'activity Heartbeat timeout'
          : 'activity StartToClose timeout',
      source: 'Server',
      timeoutFailureInfo: {
        timeoutType: type,
        ...(this.heartbeatDetails === undefined
          ? {}
          : { lastHeartbeatDetails: { payloads: this.heartbeatDetails } }),
      },
      ...(this.lastFailure === undefined ? {} : { cause: this.lastFailure }),
    };
    this.ends.push(LOST);
    this.#attemptFailed(failure, { type: 'timedOut', failure });
  }

  #attemptFailed(failure: Failure, end: ActivityResult): void {
    this.#clear();
    const { maximumAttempts, initialInterval, backoffCoefficient, maximumInterval, nonRetryableErrorTypes } =
      this.schedule.retryPolicy ?? {};
    const application = failure.applicationFailureInfo;
    const isFinal =
      application?.nonRetryable === true ||
      (nonRetryableErrorTypes ?? []).includes(application?.type ?? '') ||
      Boolean(failure.canceledFailureInfo);
    if (!isFinal && !this.cancelRequested && this.operation !== undefined) {
      this.state = 'pausing';
      this.lastFailure = failure;
      if (this.operation === 'paused') return;
      this.operation = undefined;
      this.#tryAgain(1);
      return;
    }
    if (isFinal || this.cancelRequested || this.attempt >= (maximumAttempts || Infinity)) {
      const retryState = isFinal
        ? RetryState.RETRY_STATE_NON_RETRYABLE_FAILURE
        : this.cancelRequested
          ? RetryState.RETRY_STATE_CANCEL_REQUESTED
          : RetryState.RETRY_STATE_MAXIMUM_ATTEMPTS_REACHED;
      this.#close(end, retryState);
      return;
    }
    const first = durationMs(initialInterval) ?? 1000;
    const most = durationMs(maximumInterval) ?? first * 100;
    const pause =
      durationMs(application?.nextRetryDelay) ??
      Math.min(most, first * (backoffCoefficient || 2) ** (this.attempt - 1));
    this.state = 'pausing';
    this.lastFailure = failure;
    this.#timers.push(setTimeout(() => this.#tryAgain(this.attempt + 1), pause));
  }

  #tryAgain(attempt: number): void {
    this.attempt = attempt;
    this.#tries++;
    this.state = 'scheduled';
    this.attemptScheduledAt = Date.now();
    this.execution.server.dispatchActivity(this);
  }

  #close(result: ActivityResult, retryState = RetryState.RETRY_STATE_UNSPECIFIED): void {
    this.state = 'closed';
    this.#clear();
    endActivity(this, result, retryState);
  }

  #clear(): void {
    clearTimeout(this.#beatTimer);
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers = [];
  }
}
