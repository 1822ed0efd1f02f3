import { setTimeout } from 'node:timers/promises';
import type { Context } from '@temporalio/activity';
import { encode } from '../history/payloads.ts';
import type { Heartbeat } from '../agent/calls.ts';

/**
 * The heartbeat of one attempt: a record that is sent every second and, where something must be stored before going
 * on, at once. All beats go one after the other and carry the whole record, so that a late one never undoes an earlier.
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

const INTERVAL_MS = 1000;

/** The SDK's worker gives an attempt up that it has heard nothing of for the heartbeat time-out and 5 s more. */
const SDK_EVERY_BEATS = 6;
/** How long such a beat is given to arrive, because it cannot be awaited. */
const SDK_BEAT_MS = 250;

export function startHeartbeat(context: Context): HeartbeatWriter {
  let record: Heartbeat = previousRecord(context);
  let queue: Promise<Unwanted | undefined> = Promise.resolve(undefined);
  let waiting = false;
  let beats = 0;

  const beat = () => {
    queue = queue.catch(() => undefined).then(() => send(context, record));
    return queue;
  };
  // In its place among the beats, and let arrive before the next one, so that it undoes nothing that they have stored.
  const tellSdk = () => {
    queue = queue
      .catch(() => undefined)
      .then(() => {
        context.heartbeat(record);
        return setTimeout(SDK_BEAT_MS, undefined, { ref: false });
      });
  };
  const timer = setInterval(() => {
    if (waiting) return;
    waiting = true;
    if (++beats % SDK_EVERY_BEATS === 0) tellSdk();
    // A beat that fails is followed by the next one; when none arrives, the server gives the call to another worker.
    beat()
      .catch(() => undefined)
      .finally(() => (waiting = false));
  }, INTERVAL_MS);

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
    stop: () => clearInterval(timer),
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
 * it wants the attempt to end. The SDK's heartbeat finds out the same, later, and aborts the context's signal.
 */
async function send(context: Context, record: Heartbeat): Promise<Unwanted | undefined> {
  const { client, info } = context;
  const { namespace, identity } = client.options;
  try {
    const answer = await client.workflowService.recordActivityTaskHeartbeat({
      namespace,
      identity,
      taskToken: info.taskToken,
      details: await encode(client, record),
    });
    const unwanted = wordOf(answer);
    if (unwanted !== undefined) context.heartbeat(record);
    return unwanted;
  } catch (error) {
    context.heartbeat(record);
    throw error;
  }
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
