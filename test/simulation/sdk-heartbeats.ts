import type { VirtualProcess } from './process.ts';
import { type Attempt, type Payload, durationMs } from './sdk.ts';
import { ServiceError } from './service-error.ts';
import type { ActivityTask } from './activity-task.ts';
import type { Values } from './values.ts';
import { sleep } from './virtual-time.ts';

/** Shortest time between two heartbeats of an attempt: `maxHeartbeatThrottleInterval` of worker/create-worker.ts. */
const THROTTLE_MS = 1000;
/** The worker gives an attempt up so long after the server must have done so. */
const LOCAL_MS = 5000;

/**
 * Heartbeats of an attempt as the SDK's worker (1.24) sends them: one at a time, the first at once, and the last that was given in a throttle
 * interval after it. The worker keeps the details that it was given last, and sends them with a failure (`last_heartbeat_details` in sdk-core's
 * worker/activities.rs). It gives an attempt up that it has sent no heartbeat of for too long.
 */
export class SdkHeartbeats {
  readonly #process: VirtualProcess;
  readonly #activity: ActivityTask;
  readonly #token: string;
  readonly #values: Values;
  #attempt: Attempt | undefined;
  /** Encodings, one after the other. */
  #encoded: Promise<void> = Promise.resolve();
  #given: Payload[] | undefined;
  #next: Payload[] | undefined;
  /** A heartbeat is on its way. */
  #sent: Promise<void> | undefined;
  #isThrottled = false;
  #isOver = false;
  #isKnownNotFound = false;
  #localTimers: NodeJS.Timeout[] = [];
  #silence: NodeJS.Timeout | undefined;

  constructor(process: VirtualProcess, activity: ActivityTask, values: Values) {
    this.#process = process;
    this.#activity = activity;
    this.#token = activity.token;
    this.#values = values;
  }

  /** Begins to watch the time of the attempt. */
  begin(attempt: Attempt): void {
    this.#attempt = attempt;
    const limit = durationMs(this.#activity.schedule.startToCloseTimeout);
    if (limit !== undefined) this.#localTimers.push(setTimeout(() => void this.#giveUp(), limit + LOCAL_MS));
    this.#expectBeat();
  }

  /** As `Context.heartbeat`. */
  give(details: unknown): void {
    this.#encoded = this.#encoded.then(async () => {
      const payload = await this.#values.encode(details);
      if (this.#isOver) return;
      this.#given = [payload];
      if (this.#isThrottled) this.#next = this.#given;
      else this.#send(this.#given);
    });
  }

  /** The attempt has ended so. Resolves, when its end may be sent, to the details that go with a failure; undefined: nobody is told. */
  async end(
    status: 'completed' | 'failed' | 'cancelled',
  ): Promise<{ details: Payload[] | undefined } | undefined> {
    if (status === 'failed') await this.#encoded;
    this.#isOver = true;
    for (const timer of [...this.#localTimers, this.#silence]) clearTimeout(timer);
    if (status === 'cancelled' && !this.#isKnownNotFound && this.#next !== undefined)
      await this.#report(this.#next);
    else await this.#sent;
    return this.#isKnownNotFound ? undefined : { details: this.#given };
  }

  #send(details: Payload[]): void {
    const sentAt = Date.now();
    this.#isThrottled = true;
    this.#next = undefined;
    this.#sent = this.#report(details);
    void this.#sent.then(async () => {
      this.#sent = undefined;
      if (this.#isOver) return;
      this.#expectBeat();
      await sleep(Math.max(0, sentAt + THROTTLE_MS - Date.now()));
      if (this.#isOver) return;
      this.#isThrottled = false;
      if (this.#next !== undefined) this.#send(this.#next);
    });
  }

  async #report(details: Payload[]): Promise<void> {
    await this.#process.request();
    try {
      const { cancelRequested, activityPaused, activityReset } = this.#activity.heartbeat(
        this.#token,
        details,
      );
      if (cancelRequested) this.#attempt?.cancel('CANCELLED');
      else if (activityReset) this.#attempt?.cancel('RESET');
      else if (activityPaused) this.#attempt?.cancel('PAUSED');
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this.#isKnownNotFound = true;
      this.#attempt?.cancel('NOT_FOUND');
    }
  }

  #expectBeat(): void {
    clearTimeout(this.#silence);
    const limit = durationMs(this.#activity.schedule.heartbeatTimeout);
    if (limit !== undefined) this.#silence = setTimeout(() => void this.#giveUp(), limit + LOCAL_MS);
  }

  async #giveUp(): Promise<void> {
    await this.#process.proceed();
    if (this.#isOver) return;
    this.#isKnownNotFound = true;
    this.#attempt?.cancel('TIMED_OUT');
  }
}
