import { ApplicationFailure, type Info } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { LRUCache } from 'lru-cache';
import { utf8Length } from '../agent/transcript/digest.ts';
import type { RunRef } from '../history/transcript.ts';
import { observationIn } from '../agent/transcript/state.ts';
import type { ResultRef } from '../agent/transcript/entries.ts';
import type { Json } from '../agent/vocabulary.ts';
import { readRun } from '../history/pages.ts';
import { type Payloads, decodeFirst } from '../history/payloads.ts';

/**
 * Observations that model calls refer to. The worker remembers what its own tools returned lately; anything else is read
 * from the history of the run that recorded it.
 */
export interface Observations {
  /** Of an attempt that ended well, as far as this worker knows: what history records may be another one's. */
  remember(attempt: AttemptInfo, output: Json): void;
  /** What an entry of `run`'s transcript refers to. `recorded` is the result, where it is at hand. */
  find(client: Client, run: RunRef, ref: ResultRef, recorded?: Payloads): Promise<Json>;
}

type AttemptInfo = Pick<Info, 'workflowExecution' | 'activityId' | 'attempt'>;

/** `maxBytes` bounds what is remembered. */
export function createObservations(maxBytes: number): Observations {
  const cache = new LRUCache<string, { output: Json }>({
    maxSize: maxBytes,
    sizeCalculation: ({ output }) => 1 + utf8Length(JSON.stringify(output)),
  });
  const key = (runId: string, activityId: string, attempt: number) => `${runId}/${activityId}/${attempt}`;

  return {
    remember({ workflowExecution, activityId, attempt }, output) {
      if (workflowExecution) cache.set(key(workflowExecution.runId, activityId, attempt), { output });
    },

    async find(client, run, ref, recorded) {
      const { runId, activityId, attempt = 1 } = ref;
      const known = recorded ? undefined : cache.get(key(runId, activityId, attempt));
      if (known !== undefined) return known.output;
      const payloads = recorded ?? (await fetchResult(client, { ...run, runId: ref.runId }, ref.activityId));
      return observationIn(ref, await decodeFirst(client, payloads));
    },
  };
}

/** Reads back from the end of the history: what a model call refers to has just happened. */
async function fetchResult(client: Client, run: RunRef, activityId: string): Promise<Payloads> {
  const results = new Map<string, Payloads>();
  for await (const event of readRun(client, run, { latestFirst: true })) {
    const completed = event.activityTaskCompletedEventAttributes;
    if (completed) results.set(String(completed.scheduledEventId), completed.result);
    const scheduled = event.activityTaskScheduledEventAttributes?.activityId === activityId;
    const payloads = scheduled ? results.get(String(event.eventId)) : undefined;
    if (payloads) return payloads;
  }
  throw ApplicationFailure.create({
    type: 'TranscriptCorrupt',
    message: `The result of call ${activityId} is not in run ${run.runId}, which the transcript refers to.`,
    nonRetryable: true,
  });
}
