import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '@temporalio/activity';
import type { FailureDetails, Intent } from '../../agent/calls/calls.ts';
import { inDoubt } from '../../agent/observation/observations.ts';
import { type Attempt, AttemptEnd, cancelledFailure } from '../attempt/attempt.ts';
import { classifyError, failureOf } from '../attempt/errors.ts';

/** Longest time until the SDK has the server's answer that we have. */
const SDK_HEARS_MS = 3000;

/** The attempt is wanted no more, as the server says. */
export class AttemptSuperseded extends Error {
  override name = 'AttemptSuperseded';

  constructor(unwanted: string) {
    super(`The call was ${unwanted} before it took effect`);
  }
}

/** `running`: the intent of an attempt that may be running still. `isOwn`: the tool itself failed, or took too long. */
export function unknownOutcome(
  attempt: Attempt,
  tool: string,
  cause: unknown,
  { running, isOwn = false }: { running: Intent | undefined; isOwn?: boolean },
): AttemptEnd {
  const { type, message } = classifyError(cause);
  const error = { type: 'InDoubt', message: inDoubt(tool, message) };
  return ended(attempt, cause, error, { intent: running, ...(isOwn && { fault: type }) });
}

/** The end of an attempt that certainly took no effect: a cancellation that holds, or a failure that says so. `fault`: the tool's own. */
export async function noEffect(attempt: Attempt, cause: unknown, fault?: 'failed'): Promise<AttemptEnd> {
  const { context, heartbeat } = attempt;
  if (cause instanceof AttemptSuperseded) await heardBySdk(context.cancellationSignal);
  const { cancelRequested = false, paused = false } = context.cancellationDetails ?? {};
  if (cancelRequested) return new AttemptEnd(cancelledFailure(attempt, 'The call was cancelled'));
  if (paused) {
    // A person lets it continue, and then nothing need be in doubt.
    heartbeat.set({ intent: undefined, notDone: context.info.attempt });
    return new AttemptEnd(cancelledFailure(attempt, 'The call was paused'));
  }
  const { type, message } = classifyError(cause);
  return ended(
    attempt,
    cause,
    { type, message },
    { notDone: fault ?? (type === 'Timeout' ? 'failed' : 'again') },
  );
}

/** The SDK reports an attempt as cancelled or paused only when it knows of that itself. */
async function heardBySdk(signal: AbortSignal): Promise<void> {
  await sleep(SDK_HEARS_MS, undefined, { signal }).catch(() => undefined);
}

function ended(
  { heartbeat }: Attempt,
  cause: unknown,
  error: { type: string; message: string },
  details: FailureDetails,
): AttemptEnd {
  const classified = { ...classifyError(cause), ...error, cause: undefined };
  const { checkpoint, heartbeats } = heartbeat.record;
  return new AttemptEnd(
    failureOf(classified, { checkpoint, heartbeats, ...details }, { nonRetryable: true }),
  );
}

/** The tool's own error mostly says that it was aborted; this is the reason of the abort. */
export function whyAborted({ context, signal }: Attempt): unknown {
  const reason = reasonOf(context.cancellationDetails);
  return reason === undefined ? signal.reason : new Error(reason);
}

function reasonOf(details: Context['cancellationDetails']): string | undefined {
  if (details === undefined) return undefined;
  if (details.cancelRequested) return 'it was cancelled while it ran';
  if (details.workerShutdown) return 'its worker was shut down while it ran';
  if (details.paused) return 'it was paused while it ran';
  if (details.reset) return 'it was reset while it ran';
  return 'the server had given it up while it ran';
}
