import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '@temporalio/activity';
import { encode } from '../history/payloads.ts';
import type { Heartbeat } from '../agent/calls.ts';
import { beatInterval } from './beat-interval.ts';

/**
 * The heartbeat of one attempt: a record that is sent at the worker's interval and, where something must be stored before
 * going on, at once. All beats go one after the other and carry the whole record, so that a late one never undoes an earlier.
 * Each is a billed action on Temporal Cloud, so they are counted, in the record itself, over all attempts.
 */
export interface HeartbeatWriter {
  readonly record: Heartbeat;
  /** Changes the record; it is sent with the next beat. */
  set(patch: Partial<Heartbeat>): void;
  /** Changes the record and resolves when the server has stored it. Throws when the attempt is no longer ours. */
  store(patch: Partial<Heartbeat>): Promise<void>;
  /** As `store`; resolves to why the server wants the attempt to end, as a word, if it does. */
  claim(patch: Partial<Heartbeat>): Promise<Unwanted | undefined>;
  stop(): void;
}

/** What has become of an attempt's call. */
type Unwanted = 'cancelled' | 'paused' | 'reset';

/**
 * The SDK's worker gives an attempt up that it has sent no heartbeat of for the time-out and 5 s more (15 s), whatever we send.
 * So a regular beat goes through it, in place of one of ours, if its last one is so old, and the next beat in any case by
 * the later time.
 */
const SDK_AFTER_MS = 5500;
const SDK_LATEST_MS = 10_000;
/** The SDK's beat cannot be awaited: how long it is given to arrive, and for how long it may undo what is stored behind it. */
const SDK_BEAT_MS = 250;
const SDK_LATE_MS = 2000;
/** After a beat that failed, and after one that the SDK's may undo. */
const AGAIN_MS = 1000;

export function startHeartbeat(context: Context): HeartbeatWriter {
  const everyMs = beatInterval(context);
  let record: Heartbeat = previousRecord(context);
  let queue: Promise<Unwanted | undefined> = Promise.resolve(undefined);
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const startedAt = performance.now();
  let beatOfSdkAt: number | undefined;

  const counted = () => (record = { ...record, heartbeats: (record.heartbeats ?? 0) + 1 });
  const tellSdk = () => {
    beatOfSdkAt = performance.now();
    context.heartbeat(counted());
  };
  const sinceSdk = () => performance.now() - (beatOfSdkAt ?? startedAt);
  const rest = (ms: number) => {
    clearTimeout(timer);
    if (stopped) return;
    timer = setTimeout(regularBeat, Math.max(0, Math.min(ms, SDK_LATEST_MS - sinceSdk())));
  };
  /** Sent by us. The SDK, which finds out later what the server answers, is told when that is of interest. */
  const beat = () => {
    const sent = queue.catch(() => undefined).then(() => send(context, counted()));
    queue = sent;
    sent.then(
      (unwanted) => {
        if (unwanted !== undefined) tellSdk();
        const mayBeUndone = beatOfSdkAt !== undefined && sinceSdk() < SDK_LATE_MS;
        rest(mayBeUndone ? Math.min(everyMs, AGAIN_MS) : everyMs);
      },
      () => {
        tellSdk();
        rest(Math.min(everyMs, AGAIN_MS));
      },
    );
    return sent;
  };
  /** Behind our beats, and given time to arrive before the next one, so that it undoes nothing that they have stored. */
  const beatBySdk = () => {
    queue = queue
      .catch(() => undefined)
      .then(() => {
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
  rest(everyMs);

  return {
    get record() {
      return record;
    },
    set(patch) {
      record = { ...record, ...patch };
    },
    async store(patch) {
      record = { ...record, ...patch };
      await beat();
    },
    claim(patch) {
      record = { ...record, ...patch };
      return beat();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/** The record that the previous attempt left, without what concerned only that attempt. */
function previousRecord({ info }: Context): Heartbeat {
  const {
    progress: _progress,
    text: _text,
    reasoning: _reasoning,
    ...kept
  } = (info.heartbeatDetails ?? {}) as Heartbeat; // our own record
  return kept;
}

/**
 * Sent by hand because the SDK's own heartbeat is throttled and cannot be awaited. Resolves to what the server answers, if
 * it wants the attempt to end.
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
  return wordOf(answer);
}

interface BeatAnswer {
  cancelRequested?: boolean | null;
  activityPaused?: boolean | null;
  activityReset?: boolean | null;
}

function wordOf({ cancelRequested, activityPaused, activityReset }: BeatAnswer): Unwanted | undefined {
  if (cancelRequested === true) return 'cancelled';
  if (activityReset === true) return 'reset';
  return activityPaused === true ? 'paused' : undefined;
}
