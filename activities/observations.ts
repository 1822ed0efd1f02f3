import { ApplicationFailure } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { LRUCache } from 'lru-cache';
import type { ToolResult } from '../agent/calls.ts';
import type { Entry, StepEntry } from '../agent/transcript.ts';
import { utf8Length } from '../agent/digest.ts';
import type { Json } from '../agent/vocabulary.ts';
import { type Payloads, type RunRef, decodeFirst, readHistory } from './history.ts';

/** Results of one run's activities by activity id, as they are recorded. */
export type RecordedResults = ReadonlyMap<string, Payloads>;

/**
 * Observations that model calls refer to. The worker remembers what its own tools returned lately; anything else is read
 * from the history of the run that recorded it.
 */
export interface Observations {
  remember(run: RunRef, activityId: string, output: Json): void;
  /** The same entries with every observation in place. `recorded` are results of `run` that are at hand. */
  fill(client: Client, run: RunRef, entries: Entry[], recorded?: RecordedResults): Promise<Entry[]>;
}

/** `maxBytes` bounds what is remembered. */
export function createObservations(maxBytes: number): Observations {
  const cache = new LRUCache<string, { output: Json }>({
    maxSize: maxBytes,
    sizeCalculation: ({ output }) => 1 + utf8Length(JSON.stringify(output)),
  });
  const key = (runId: string, activityId: string) => `${runId}/${activityId}`;

  return {
    remember: ({ runId }, activityId, output) => void cache.set(key(runId, activityId), { output }),

    fill: (client, run, entries, recorded) =>
      Promise.all(
        entries.map(async (entry) => {
          if (entry.type !== 'step' || entry.ref === undefined) return entry;
          const { runId, activityId } = entry.ref;
          const known = cache.get(key(runId, activityId));
          if (known !== undefined) return { ...entry, observation: known.output };
          const payloads = runId === run.runId ? recorded?.get(activityId) : undefined;
          return payloads ? inPlace(client, entry, payloads) : fetchObservation(client, run, entry);
        }),
      ),
  };
}

/** Reads back from the end of the history: what a model call refers to has just happened. */
async function fetchObservation(client: Client, run: RunRef, entry: StepEntry): Promise<StepEntry> {
  const { runId = run.runId, activityId = '' } = entry.ref ?? {};
  const results = new Map<string, Payloads>();
  for await (const event of readHistory(client, { ...run, runId }, true)) {
    const completed = event.activityTaskCompletedEventAttributes;
    if (completed) results.set(String(completed.scheduledEventId), completed.result);
    const scheduled = event.activityTaskScheduledEventAttributes?.activityId === activityId;
    const payloads = scheduled ? results.get(String(event.eventId)) : undefined;
    if (payloads) return inPlace(client, entry, payloads);
  }
  throw ApplicationFailure.create({
    type: 'TranscriptCorrupt',
    message: `The result of call ${activityId} is not in run ${runId}, which the transcript refers to.`,
    nonRetryable: true,
  });
}

async function inPlace(client: Client, entry: StepEntry, payloads: Payloads): Promise<StepEntry> {
  const result = await decodeFirst(client, payloads);
  // Written by run-tool, or by an activity of somebody else's.
  const observation = entry.ref?.raw === true ? (result as Json) : (result as ToolResult).output;
  return { ...entry, observation };
}
