import { CancellationScope, type WorkflowInterceptors, sleep, workflowInfo } from '@temporalio/workflow';
import type { Headers } from '@temporalio/common';
import { limits } from '../agent/values/limits.ts';
import { jsonBytes } from '../agent/values/digest.ts';

type OutboundCalls = NonNullable<WorkflowInterceptors['outbound']>[number];

/**
 * Bounds what one workflow task sends. The server refuses a task of more than 4 MB, and Temporal tries the same task again
 * for ever. A command that does not fit is held until the next task, which a timer of a millisecond brings.
 */
export function taskRoom(): OutboundCalls {
  let task = -1;
  let sentBytes = 0;
  // Most tasks send one command, which always has room: its bytes are counted when a second one comes.
  let first: (() => number) | undefined;
  let nextTask: Promise<void> | undefined;

  /** Takes room for a command; false: there is not enough. The first command of a task always has room. */
  function takeRoom(byteLength: () => number): boolean {
    const { historyLength } = workflowInfo();
    if (historyLength !== task) {
      task = historyLength;
      sentBytes = 0;
      first = byteLength;
      return true;
    }
    if (first) sentBytes += first();
    first = undefined;
    const bytes = byteLength();
    if (sentBytes + bytes > limits.taskBytes) return false;
    sentBytes += bytes;
    return true;
  }

  async function sendLater<T>(byteLength: () => number, send: () => Promise<T>): Promise<T> {
    do {
      // All held commands share one timer. Cancelling a command's scope does not cancel it.
      nextTask ??= CancellationScope.nonCancellable(() => sleep(1)).finally(() => (nextTask = undefined));
      await nextTask;
    } while (!takeRoom(byteLength));
    return send();
  }

  // The common case stays synchronous: commands keep the order in which the workflow makes them.
  const whenItFits = <T>(byteLength: () => number, send: () => Promise<T>): Promise<T> =>
    takeRoom(byteLength) ? send() : sendLater(byteLength, send);

  return {
    scheduleActivity: (input, next) =>
      whenItFits(
        () => argumentBytes(input.args) + headerBytes(input.headers),
        () => next(input),
      ),
    startChildWorkflowExecution: (input, next) =>
      whenItFits(
        () => argumentBytes(input.options.args),
        () => next(input),
      ),
    signalWorkflow: (input, next) =>
      whenItFits(
        () => argumentBytes(input.args),
        () => next(input),
      ),
  };
}

function argumentBytes(args: readonly unknown[]): number {
  return args.reduce<number>((sum, value) => sum + bytesOf(value), 0);
}

function bytesOf(value: unknown): number {
  if (ArrayBuffer.isView(value)) return value.byteLength;
  try {
    return jsonBytes(value);
  } catch {
    return 0; // not JSON: the data converter throws
  }
}

function headerBytes(headers: Headers): number {
  return Object.values(headers).reduce((sum, { data }) => sum + (data?.length ?? 0), 0);
}
