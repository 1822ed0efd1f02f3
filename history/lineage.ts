import type { Client } from '@temporalio/client';
import { type Fact, type StartedFact, readFacts, readStart } from './facts.ts';
import { type RunRef, isNotFound } from './pages.ts';

/**
 * What is recorded of a run from its very beginning, over every continue-as-new, whose earlier runs may be past the
 * namespace's retention: then from the first that is left. `follow`: and what is to come.
 */
export async function* readLineage(
  client: Client,
  run: RunRef,
  follow: boolean,
  signal?: AbortSignal,
): AsyncGenerator<Fact> {
  const earlier = (await runsUpTo(client, run)).slice(0, -1);
  for (const previous of earlier) yield* readFacts(client, previous);
  for (let current: RunRef | undefined = run; current !== undefined;) {
    let next: string | undefined;
    for await (const fact of readFacts(client, current, { follow, signal })) {
      if (fact.type === 'run_continued') next = fact.runId;
      yield fact;
    }
    current = next ? { ...run, runId: next } : undefined;
  }
}

/**
 * The runs that go on from each other and end with `run`, oldest first. Found backwards, run by run: after a reset by
 * Temporal the first run of an id leads to the run that was given up, not to the one that took its place.
 */
export async function runsUpTo(client: Client, run: RunRef): Promise<RunRef[]> {
  const runs = [run];
  let start = await startIfThere(client, run);
  while (start?.previousRunId !== undefined) {
    const previous = { ...run, runId: start.previousRunId };
    start = await startIfThere(client, previous);
    if (start !== undefined) runs.unshift(previous);
  }
  return runs;
}

async function startIfThere(client: Client, run: RunRef): Promise<StartedFact | undefined> {
  try {
    return await readStart(client, run);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
