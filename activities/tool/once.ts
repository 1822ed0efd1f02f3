import { setTimeout as sleep } from 'node:timers/promises';
import { CALL_INTENT, type CallIntent } from '../../agent/calls/call-signals.ts';
import type { Intent } from '../../agent/calls/calls.ts';
import type { Heartbeat } from '../../agent/calls/heartbeat-record.ts';
import type { RetryPolicy } from '../../agent/definition/manifest.ts';
import { fieldOf } from '../../agent/values/values.ts';
import { orAborted } from '../../agent/values/concurrent.ts';
import { type Attempt, type AttemptEnd, attemptScheduledAt, nextWait } from '../attempt/attempt.ts';
import { classifyError } from '../attempt/errors.ts';
import { AttemptSuperseded, noEffect, unknownOutcome, whyAborted } from './once-end.ts';

/** Grace time for an aborted tool to report the end of its call. */
const GRACE_MS = 5000;

/** Keeps a call with `effects: 'once'` from taking effect twice. */
export interface OnceGuard {
  /** The tool's `ctx.commit`. */
  commit(): Promise<void>;
  /**
   * Runs the call, if it certainly has not run before. Throws AttemptEnd, whatever the body threw: without effect, or
   * in doubt.
   */
  run<T>(body: () => Promise<T>): Promise<T>;
}

/** The guard of calls that may be repeated: it guards nothing. */
export const unguarded: OnceGuard = { commit: () => Promise.resolve(), run: (body) => body() };

/**
 * Temporal alone does not keep a call from running twice: an attempt that was paused may run again in spite of
 * maximumAttempts 1, and one that timed out may still act. So an intent is stored first, and an attempt that finds one,
 * or a trace of an earlier attempt, does not run the tool.
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
        throw await noEffect(attempt, error);
      }
      const fresh = () => {
        committed = false;
        refusal = undefined;
        return body();
      };
      try {
        return await withGrace(whileNotDone(fresh, retry, signal), signal);
      } catch (error) {
        // An abort is the tool's failure only where it took too long.
        if (saysNotDone(error) && signal.aborted) throw await noEffect(attempt, signal.reason);
        if (saysNotDone(error)) throw await noEffect(attempt, error, 'failed');
        if (refusal !== undefined && !committed) throw await noEffect(attempt, refusal);
        const running = error instanceof StillRunning ? heartbeat.record.intent : undefined;
        const isOwn = !context.cancellationSignal.aborted;
        throw unknownOutcome(attempt, tool, signal.aborted ? whyAborted(attempt) : error, { running, isOwn });
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
  return attemptScheduledAt(info) !== undefined && record.notDone !== info.attempt - 1;
}

/** A person may reset a heartbeat's record; a message to the run stays in its history. */
async function tellRun({ context: { client, info }, signal }: Attempt, intent: Intent): Promise<void> {
  const { workflowId = '', runId = '' } = info.workflowExecution ?? {};
  const run = client.workflow.getHandle(workflowId, runId);
  await orAborted(run.signal<[CallIntent]>(CALL_INTENT, { activityId: info.activityId, intent }), signal);
}

/** Resolves when the server has confirmed that the attempt is this worker's and still wanted. */
async function claim({ heartbeat, signal }: Attempt, patch: Partial<Heartbeat>): Promise<void> {
  const unwanted = await orAborted(heartbeat.claim(patch), signal);
  signal.throwIfAborted();
  if (unwanted !== undefined) throw new AttemptSuperseded(unwanted);
}

/**
 * A tool whose error has `notDone: true` is retried as any other, but within the one attempt, which no other worker can
 * take.
 */
async function whileNotDone<T>(body: () => Promise<T>, retry: RetryPolicy, signal: AbortSignal): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await body();
    } catch (error) {
      const { retryable, retryAfterMs } = classifyError(error);
      if (!saysNotDone(error) || !retryable || failures >= retry.maxAttempts) throw error;
      await sleep(nextWait(retry, failures, retryAfterMs), undefined, { signal }).catch(() => undefined);
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

/** The heartbeat keeps the earlier intent, so that the next attempt is not taken for the first. */
function foundAnother(attempt: Attempt, tool: string): AttemptEnd {
  const { heartbeat } = attempt;
  const { intent = { at: Date.now(), attempt: 0 } } = heartbeat.record;
  heartbeat.set({ intent });
  return unknownOutcome(attempt, tool, new Error('an earlier attempt may have run already'), {
    running: intent,
  });
}
