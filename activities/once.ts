import { setTimeout as sleep } from 'node:timers/promises';
import { CALL_INTENT, type CallIntent, type Heartbeat, type Intent } from '../agent/calls.ts';
import type { RetryPolicy } from '../agent/manifest.ts';
import { fieldOf } from '../agent/values.ts';
import { type Attempt, type AttemptEnd, backoff, orAborted } from './attempt.ts';
import { classifyError } from './errors.ts';
import { NotOurs, didNothing, doubtful, whyAborted } from './once-end.ts';

/** How long a tool that was told to end may take to say how its call ended. */
const GRACE_MS = 5000;

/** What keeps a call that may take effect once only from taking effect twice. */
export interface OnceGuard {
  /** The tool's `ctx.commit`. */
  commit(): Promise<void>;
  /**
   * Runs the call, where it certainly has not been run before. Throws AttemptEnd: of a call that certainly did nothing, or else
   * of one that is in doubt, whatever the body threw.
   */
  run<T>(body: () => Promise<T>): Promise<T>;
}

/** For calls that may be repeated. */
export const unguarded: OnceGuard = { commit: () => Promise.resolve(), run: (body) => body() };

/**
 * Temporal alone does not keep a call from running twice: an attempt that was paused may run again in spite of
 * maximumAttempts 1, and one that timed out may still act. So an intent is stored first, and whoever finds one, or a trace of
 * an earlier attempt, does not run.
 */
export function onceGuard(attempt: Attempt, tool: string, retry: RetryPolicy): OnceGuard {
  const { context, heartbeat, signal } = attempt;
  let committed = false;
  let refusal: unknown;
  return {
    async commit() {
      try {
        await claim(attempt, {});
        committed = true;
      } catch (error) {
        refusal ??= error;
        throw error;
      }
    },
    async run(body) {
      if (mayHaveRun(attempt)) throw foundAnother(attempt, tool);
      const intent = { at: Date.now(), attempt: context.info.attempt };
      try {
        await tellRun(attempt, intent);
        await claim(attempt, { intent, notDone: undefined });
      } catch (error) {
        throw await didNothing(attempt, error);
      }
      const fresh = () => {
        committed = false;
        return body();
      };
      try {
        return await withGrace(whileNotDone(fresh, retry, signal), signal);
      } catch (error) {
        if (saysNotDone(error))
          throw await didNothing(attempt, signal.aborted ? signal.reason : error, 'failed');
        if (refusal !== undefined && !committed) throw await didNothing(attempt, refusal);
        const running = error instanceof StillRunning ? heartbeat.record.intent : undefined;
        throw doubtful(attempt, tool, signal.aborted ? whyAborted(attempt) : error, running);
      }
    },
  };
}

/**
 * An attempt that nothing came before has the number 1, finds no intent, and was scheduled when its call was: `temporal activity
 * reset --reset-heartbeats` undoes the first two, but not that an attempt is a later one.
 */
function mayHaveRun({ context: { info }, heartbeat: { record } }: Attempt): boolean {
  if (record.intent !== undefined) return true;
  const isFirst = info.attempt === 1 && info.currentAttemptScheduledTimestampMs === info.scheduledTimestampMs;
  return !isFirst && record.notDone !== info.attempt - 1;
}

/** A heartbeat's record may be wiped out by a person; what a run was told stands in its history. */
async function tellRun({ context: { client, info }, signal }: Attempt, intent: Intent): Promise<void> {
  const { workflowId = '', runId = '' } = info.workflowExecution ?? {};
  const run = client.workflow.getHandle(workflowId, runId);
  await orAborted(run.signal<[CallIntent]>(CALL_INTENT, { activityId: info.activityId, intent }), signal);
}

/** Resolves when the server has said that the attempt is ours and nobody wants it to end. */
async function claim({ heartbeat, signal }: Attempt, patch: Partial<Heartbeat>): Promise<void> {
  const unwanted = await orAborted(heartbeat.claim(patch), signal);
  signal.throwIfAborted();
  if (unwanted !== undefined) throw new NotOurs(unwanted);
}

/**
 * A tool that knows that it has done nothing (`notDone: true` of its error) is tried again as any other, but within the one
 * attempt: nobody else can have it.
 */
async function whileNotDone<T>(body: () => Promise<T>, retry: RetryPolicy, signal: AbortSignal): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await body();
    } catch (error) {
      const { retryable, retryAfterMs = backoff(retry, failures) } = classifyError(error);
      if (!saysNotDone(error) || !retryable || failures >= retry.maxAttempts) throw error;
      await sleep(retryAfterMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) throw error;
    }
  }
}

function saysNotDone(error: unknown): boolean {
  return fieldOf(error, 'notDone') === true;
}

/** The tool's own end counts, if it comes in time after the signal. */
function withGrace<T>(body: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const wait = () => (timer = setTimeout(() => reject(new StillRunning()), GRACE_MS));
    if (signal.aborted) wait();
    signal.addEventListener('abort', wait, { once: true });
    void body.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', wait);
    });
  });
}

/** The tool does not hear, and may act still. */
class StillRunning extends Error {
  override name = 'StillRunning';
}

/** What this attempt writes down from here on must not pass for a first one's. */
function foundAnother(attempt: Attempt, tool: string): AttemptEnd {
  const { heartbeat } = attempt;
  const { intent = { at: Date.now(), attempt: 0 } } = heartbeat.record;
  heartbeat.set({ intent });
  return doubtful(attempt, tool, new Error('an earlier attempt may have run already'), intent);
}
