import { CancelledFailure, Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { RunEnd, SucceedingRun } from '../agent/successor.ts';
import { readFacts } from '../history/facts.ts';
import { successorOf } from '../history/lineage.ts';
import type { RunRef } from '../history/pages.ts';
import { asRunResult } from '../history/records.ts';
import { beating } from './beating.ts';

/**
 * Waits for the end of the run that has taken a terminated one's place, over every further one. Can be taken up by any
 * worker at any time: it only reads. Who cancels it cancels that run, and learns of its end.
 */
export async function awaitSuccessor(run: SucceedingRun): Promise<RunEnd> {
  const { client, cancellationSignal, cancelled } = Context.current();
  const cancelRun = () =>
    void client.workflow
      .getHandle(run.workflowId)
      .cancel()
      .catch(() => undefined);
  cancellationSignal.addEventListener('abort', cancelRun);
  cancelled.catch(() => undefined); // the signal tells
  try {
    return await beating(() => endOfSuccessor(client, run));
  } finally {
    cancellationSignal.removeEventListener('abort', cancelRun);
  }
}

async function endOfSuccessor(client: Client, run: RunRef): Promise<RunEnd> {
  let next = await successorOf(client, run);
  if (next === undefined) return { type: 'none' };
  for (;;) {
    const current: RunRef = next;
    next = undefined;
    for await (const fact of readFacts(client, current, { follow: true })) {
      if (fact.type === 'run_continued') next = { ...current, runId: fact.runId };
      if (fact.type === 'run_cancelled') throw new CancelledFailure('The run was cancelled');
      if (fact.type === 'run_succeeded') {
        const result = asRunResult(await fact.result());
        return result === undefined ? { type: 'none' } : { type: 'result', result };
      }
      if (fact.type !== 'run_failed') continue;
      if (fact.terminated !== true) return { type: 'failed', error: await fact.error() };
      next = await successorOf(client, current);
    }
    if (next === undefined) return { type: 'none' };
  }
}
