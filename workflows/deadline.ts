import { CancellationScope, condition, isCancellation, sleep } from '@temporalio/workflow';
import { timeLeft } from '../agent/limits.ts';
import type { AgentLoop } from './run-state.ts';

/**
 * Keeps a run's time limit with one timer: when the time is over, the calls under way are cut. Time spent waiting for a
 * person does not count, so the timer may have to go on. Returns what ends the watch.
 */
export function watchDeadline(loop: AgentLoop): () => void {
  const { maxExecutionTimeMs, loopVersion } = loop.manifest;
  if (maxExecutionTimeMs === null || loopVersion < 2) return () => undefined;
  const scope = new CancellationScope();
  scope
    .run(() => watch(loop))
    .catch((failure: unknown) => {
      if (!isCancellation(failure)) throw failure;
    });
  return () => scope.cancel();
}

async function watch(loop: AgentLoop): Promise<void> {
  for (;;) {
    await condition(() => loop.waits === 0);
    const left = timeLeft(loop.manifest, loop.counters, Date.now());
    if (left <= 0) break;
    await sleep(left);
  }
  loop.overdue = true;
  for (const scope of loop.cutAtDeadline) scope.cancel();
}

/** Runs a call in a scope that the deadline cancels. */
export function untilDeadline<T>(
  loop: AgentLoop,
  scope: CancellationScope,
  run: () => Promise<T>,
): Promise<T> {
  const running = scope.run(run);
  // In the sandbox each promise costs: a run without a limit has one less.
  if (loop.manifest.maxExecutionTimeMs === null) return running;
  loop.cutAtDeadline.add(scope);
  return running.finally(() => loop.cutAtDeadline.delete(scope));
}
