import type { Client } from '@temporalio/client';
import { readToolResult } from '../../agent/calls/tool-result.ts';
import type { ResultRef } from '../../agent/transcript/entries.ts';
import type { Json } from '../../agent/values/vocabulary.ts';
import { readFacts, readStart } from '../read/facts.ts';
import { type RunRef, isNotFound } from '../read/pages.ts';
import type { Recorded } from '../read/payloads.ts';

/**
 * Reads the observation that an entry of `run`'s transcript refers to. `result`: the recorded result, if the caller has read it.
 * Undefined: the result is not recorded, or past retention.
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
  if (ref.raw === true) return (value ?? null) as Json; // JSON of the other worker's converter
  return readToolResult(value)?.output;
}

async function findResult(client: Client, run: RunRef, ref: ResultRef): Promise<Recorded | undefined> {
  const { workflowId = run.workflowId, runId = run.runId, activityId } = ref;
  const found = await lookBack(client, { workflowId, runId }, activityId);
  if (found !== undefined || runId === run.runId) return found;
  // The run before the reset may be past retention; this run has a copy of its events.
  const start = await readStart(client, run);
  return start?.originalRunId === runId ? lookBack(client, run, activityId) : undefined;
}

/** Reads from the end of the history: a model call refers to recent results. */
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
