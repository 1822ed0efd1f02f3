import { ApplicationFailure, ApplicationFailureCategory, CancelledFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';

/** Longer than any call. */
export const NO_TIMEOUT = '365 days';

/**
 * Drains a worker that may be replaced and then lets its calls finish: the SDK's own end of calls, a number of seconds
 * after the worker's, is fixed when the worker is created. Instead, `drain` cancels the calls, and they fail so that
 * another worker takes them at once.
 */
export function drainInterceptor(drain: AbortSignal): ActivityInterceptorsFactory {
  const cut = new Promise<never>((_resolve, reject) => {
    drain.addEventListener('abort', () => reject(new CancelledFailure('WORKER_SHUTDOWN')));
  });
  cut.catch(() => undefined); // most are over by then
  return (context) => {
    const cancelled = Promise.race([context.cancelled, cut]);
    cancelled.catch(() => undefined);
    const cancellationSignal = AbortSignal.any([context.cancellationSignal, drain]);
    const asked = context.cancellationSignal;
    Object.assign(context, { cancelled, cancellationSignal });
    return {
      inbound: {
        async execute(input, next) {
          try {
            return await next(input);
          } catch (error) {
            if (!drain.aborted || asked.aborted || !(error instanceof CancelledFailure)) throw error;
            throw orderlyEnd();
          }
        },
      },
    };
  };
}

/** The same failure as the SDK's own. Benign: a log should not warn of it. */
function orderlyEnd(): ApplicationFailure {
  const { BENIGN } = ApplicationFailureCategory;
  return ApplicationFailure.create({
    message: 'WORKER_SHUTDOWN',
    type: 'CancelledFailure',
    category: BENIGN,
  });
}
