import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { type Heartbeat, patchHeartbeat } from '../../agent/calls/heartbeat-record.ts';
import { limits } from '../../agent/values/limits.ts';
import { encode } from '../../history/read/payloads.ts';
import type { LivePublisher } from '../../features/live/publisher.ts';
import { keptInline } from '../../features/storage/storage.ts';
import { tapLive } from './live-tap.ts';

/**
 * The heartbeat of one attempt: a record that is sent at the worker's interval and, where something must be stored
 * before continuing, at once. All beats go one after the other and carry the whole record, so that a late one never
 * undoes an earlier. Each is a billed action on Temporal Cloud, so they are counted, in the record itself, over all
 * attempts.
 */
export interface HeartbeatWriter {
  readonly record: Heartbeat;
  /** Changes the record; it is sent with the next beat. */
  set(patch: Partial<Heartbeat>): void;
  /** Changes the record and resolves when the server has stored it. Throws when the attempt is no longer ours. */
  store(patch: Partial<Heartbeat>): Promise<void>;
  /** Like `store`. Resolves to the reason if the server wants the attempt to end. */
  claim(patch: Partial<Heartbeat>): Promise<Unwanted | undefined>;
  /**
   * Ends the heartbeat of an attempt that is about to fail, and that another one may follow: the failure brings the record to the server. Notes
   * that the attempt came to an end, so that it does not count as lost.
   */
  end(): void;
  stop(): void;
}

/** Reason why the call of an attempt is no longer wanted. */
type Unwanted = 'cancelled' | 'paused' | 'reset';

/**
 * The SDK's worker gives an attempt up that it has sent no heartbeat of for the time-out and 5 s more (15 s), whatever we send.
 * So a regular beat goes through it, in place of one of ours, if its last one is so old, and the next beat in any case by
 * the later time.
 */
const SDK_AFTER_MS = 5500;
const SDK_LATEST_MS = 10_000;
/** The SDK's heartbeat cannot be awaited. It gets 250 ms to arrive; for 2 s it may still overwrite what we stored after it. */
const SDK_BEAT_MS = 250;
const SDK_LATE_MS = 2000;
/** The SDK's worker sends no second heartbeat within this time (`maxHeartbeatThrottleInterval` in worker/create-worker.ts). */
const SDK_THROTTLE_MS = 1000;
/** Time until the next heartbeat after a failed one, and after one that the SDK's may overwrite. */
const AGAIN_MS = 1000;

export function startHeartbeat(context: Context): HeartbeatWriter {
  const { everyMs, live, hasStorage } = settings.get(context) ?? usualSettings;
  const tap = live && tapLive(context, live);
  let record: Heartbeat = previousRecord(context);
  let queue: Promise<Unwanted | undefined> = Promise.resolve(undefined);
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const startedAt = performance.now();
  let beatOfSdkAt: number | undefined;

  const change = (patch: Partial<Heartbeat>) => {
    record = patchHeartbeat(record, patch);
    tap?.changed(record);
  };
  const counted = () => (record = { ...record, heartbeats: (record.heartbeats ?? 0) + 1 });
  const giveDetails = (details: Heartbeat) =>
    hasStorage ? keptInline(() => context.heartbeat(details)) : context.heartbeat(details);
  const tellSdk = () => {
    beatOfSdkAt = performance.now();
    giveDetails(counted());
  };
  /**
   * The SDK's worker (1.24) sends the details that it was given last along with each failure of an attempt, and the server puts them over
   * whatever it has (RespondActivityTaskFailed). So a record that the SDK does not have would be lost. This one costs a heartbeat
   * only if the SDK has not just sent one.
   */
  const giveSdk = () => {
    const isThrottled = beatOfSdkAt !== undefined && sinceSdk() < SDK_THROTTLE_MS;
    giveDetails(isThrottled ? record : counted());
  };
  const sinceSdk = () => performance.now() - (beatOfSdkAt ?? startedAt);
  const rest = (ms: number) => {
    clearTimeout(timer);
    if (stopped) return;
    timer = setTimeout(regularBeat, Math.max(0, Math.min(ms, SDK_LATEST_MS - sinceSdk())));
  };
  /** Sent by Reloop. The SDK learns the server's answer later, and is notified when it matters. */
  const beat = () => {
    const sent = queue.catch(() => undefined).then(() => send(context, counted()));
    queue = sent;
    sent.then(
      (unwanted) => {
        if (stopped) return;
        if (unwanted !== undefined) tellSdk();
        const mayBeUndone = beatOfSdkAt !== undefined && sinceSdk() < SDK_LATE_MS;
        rest(mayBeUndone ? Math.min(everyMs, AGAIN_MS) : everyMs);
      },
      () => {
        if (stopped) return;
        tellSdk();
        rest(Math.min(everyMs, AGAIN_MS));
      },
    );
    return sent;
  };
  /** Sends the SDK's heartbeat: queued after ours and given time to arrive, so that it does not overwrite them. */
  const beatBySdk = () => {
    queue = queue
      .catch(() => undefined)
      .then(() => {
        if (stopped) return undefined;
        tellSdk();
        rest(everyMs);
        return sleep(SDK_BEAT_MS, undefined, { ref: false });
      });
  };
  // A beat that fails is followed by the next one; when none arrives, the server gives the call to another worker.
  const regularBeat = () => {
    if (sinceSdk() >= SDK_AFTER_MS) beatBySdk();
    else beat().catch(() => undefined);
  };
  const stop = () => {
    stopped = true;
    clearTimeout(timer);
  };
  rest(everyMs);

  return {
    get record() {
      return record;
    },
    set: change,
    async store(patch) {
      change(patch);
      await beat();
    },
    claim(patch) {
      change(patch);
      return beat();
    },
    end() {
      stop();
      change({ endedAt: context.info.attempt });
      giveSdk();
    },
    stop() {
      stop();
      tap?.stop();
    },
  };
}

/** Sends heartbeats while `work` runs, for an activity that only reads and may take long. Its heartbeats carry no record. */
export async function withHeartbeat<T>(work: () => Promise<T>): Promise<T> {
  const context = Context.current();
  const { everyMs } = settings.get(context) ?? usualSettings;
  const timer = setInterval(() => context.heartbeat(), everyMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** Settings of a worker's heartbeats. */
export interface HeartbeatSettings {
  /** Time between regular heartbeats. */
  everyMs: number;
  hasStorage: boolean;
  /** Receives texts and progress before the next heartbeat has them. */
  live?: LivePublisher | undefined;
}

const settings = new WeakMap<Context, HeartbeatSettings>();
/** Settings for a worker without our interceptor: the interval that costs least, and perhaps a storage. */
const usualSettings: HeartbeatSettings = { everyMs: limits.frugalHeartbeatMs, hasStorage: true };

/** Called by the worker's activity interceptor before the activity runs. */
export function setHeartbeats(context: Context, own: HeartbeatSettings): void {
  settings.set(context, own);
}

/** The previous attempt's record, without the fields of that attempt alone. */
function previousRecord({ info }: Context): Heartbeat {
  const {
    progress: _progress,
    text: _text,
    reasoning: _reasoning,
    reasoningFrom: _reasoningFrom,
    reports: _reports,
    restart: _restart,
    ...kept
  } = (info.heartbeatDetails ?? {}) as Heartbeat; // our own record
  return kept;
}

/**
 * Sent by hand because the SDK's own heartbeat is throttled and cannot be awaited. Resolves to the server's reason, if
 * the attempt has to end.
 */
async function send(context: Context, record: Heartbeat): Promise<Unwanted | undefined> {
  const { client, info } = context;
  const { namespace, identity } = client.options;
  const answer = await client.workflowService.recordActivityTaskHeartbeat({
    namespace,
    identity,
    taskToken: info.taskToken,
    details: await encode(client, record),
  });
  if (answer.cancelRequested) return 'cancelled';
  if (answer.activityReset) return 'reset';
  return answer.activityPaused ? 'paused' : undefined;
}
