import type { Client } from '@temporalio/client';
import type { ResultRef } from '../../agent/transcript/entries.ts';
import type { Json } from '../../agent/values/vocabulary.ts';
import { readFacts, readStart } from '../read/facts.ts';
import { type RunRef, isNotFound } from '../read/pages.ts';
import type { Recorded } from '../read/payloads.ts';
import { asToolResult } from '../read/records.ts';

/**
 * What an entry of `run`'s transcript refers to; `result` is the record of it, where it is at hand. Undefined where there
 * is none (any more).
 */
export async function readObservation(
  client: Client,
  run: RunRef,
  ref: ResultRef,
  result?: Recorded,
): Promise<Json | undefined> {
  const found = result ?? (await findResult(client, run, ref));
  if (found === undefined) return undefined;
  const value = await found();
  if (ref.raw === true) return (value ?? null) as Json; // an activity's result as its worker's converter made it JSON
  return asToolResult(value)?.output;
}

async function findResult(client: Client, run: RunRef, ref: ResultRef): Promise<Recorded | undefined> {
  const { workflowId = run.workflowId, runId = run.runId, activityId } = ref;
  const found = await lookBack(client, { workflowId, runId }, activityId);
  if (found !== undefined || runId === run.runId) return found;
  // The run that was reset may be gone; what it had recorded is in this one, too.
  const start = await readStart(client, run);
  return start?.originalRunId === runId ? lookBack(client, run, activityId) : undefined;
}

/** Reads back from the end of the history: what a model call refers to has just happened. */
async function lookBack(client: Client, run: RunRef, activityId: string): Promise<Recorded | undefined> {
  const results = new Map<string, Recorded>();
  try {
    for await (const fact of readFacts(client, run, { latestFirst: true })) {
      if (fact.type === 'succeeded') results.set(fact.key, fact.result);
      if (fact.type !== 'scheduled' || fact.workId !== activityId) continue;
      const result = results.get(fact.key);
      if (result !== undefined) return result;
    }
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  return undefined;
}
