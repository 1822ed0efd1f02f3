import { ApplicationFailure, type Info } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { LRUCache } from 'lru-cache';
import type { ToolResult } from '../../agent/calls/calls.ts';
import { jsonBytes } from '../../agent/values/digest.ts';
import type { ResultRef } from '../../agent/transcript/entries.ts';
import type { Json } from '../../agent/values/vocabulary.ts';
import { readObservation } from '../../history/views/observation.ts';
import type { RunRef } from '../../history/read/pages.ts';
import type { Recorded } from '../../history/read/payloads.ts';

/**
 * Observations that model calls refer to. The worker caches recent results of its own tools; all others are read from
 * the history of the run that recorded them.
 */
export interface Observations {
  /**
   * Call after an attempt that ended well, as far as this worker knows: history may record another attempt's result.
   */
  remember(activity: ActivityInfo, result: Pick<ToolResult, 'output' | 'attemptScheduledAt'>): void;
  /**
   * The observation that an entry of `run`'s transcript refers to. `result` is the record of the observation, if it is
   * at hand.
   */
  find(client: Client, run: RunRef, ref: ResultRef, result?: Recorded): Promise<Json>;
}

type ActivityInfo = Pick<Info, 'workflowExecution' | 'activityId'>;

/** `maxBytes` limits the cache. */
export function createObservations(maxBytes: number): Observations {
  const cache = new LRUCache<string, { output: Json }>({
    maxSize: maxBytes,
    sizeCalculation: ({ output }) => 1 + jsonBytes(output),
  });
  const key = (runId: string, activityId: string, attemptScheduledAt = 0) =>
    `${runId}/${activityId}/${attemptScheduledAt}`;

  return {
    remember({ workflowExecution, activityId }, { output, attemptScheduledAt }) {
      if (workflowExecution)
        cache.set(key(workflowExecution.runId, activityId, attemptScheduledAt), { output });
    },

    async find(client, run, ref, result) {
      const { runId = run.runId, activityId, attemptScheduledAt } = ref;
      const known = result ? undefined : cache.get(key(runId, activityId, attemptScheduledAt));
      if (known !== undefined) return known.output;
      const output = await readObservation(client, run, ref, result);
      if (output === undefined) throw missing(runId, activityId);
      return output;
    },
  };
}

function missing(runId: string, activityId: string): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'TranscriptCorrupt',
    message: `The result of call ${activityId} is not in run ${runId}, which the transcript refers to.`,
    nonRetryable: true,
  });
}
