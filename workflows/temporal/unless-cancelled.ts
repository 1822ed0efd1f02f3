import { CancellationScope } from '@temporalio/workflow';

/** Resolves to undefined if `work` fails. Rejects if the scope is cancelled. */
export async function unlessCancelled<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (failure) {
    if (CancellationScope.current().consideredCancelled) throw failure;
    return undefined;
  }
}
