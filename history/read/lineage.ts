import type { Client } from '@temporalio/client';
import type { Restart } from '../../agent/calls/restart.ts';
import type { Fact, StartedFact } from './fact.ts';
import { readFactPages, readStart } from './facts.ts';
import { type ReadOptions, type RunRef, isNotFound } from './pages.ts';
import { asRunInput } from './records.ts';

/** A fact with the run that recorded it. */
export interface RunFact {
  run: RunRef;
  fact: Fact;
}

/**
 * What is recorded of a run from its very beginning: over every continue-as-new, and of a run that a rewind, a fork or a
 * retry has started, what is kept of the run it goes on from. What is past the namespace's retention is left out.
 * `follow`: and what is to come, until `signal`.
 */
export async function* readLineage(
  client: Client,
  run: RunRef,
  follow: boolean,
  signal?: AbortSignal,
): AsyncGenerator<Fact> {
  for await (const { fact } of readRunFacts(client, run, { follow, signal })) yield fact;
}

export async function* readRunFacts(
  client: Client,
  run: RunRef,
  options: FollowOptions = {},
): AsyncGenerator<RunFact> {
  for await (const { run: of, facts } of readRunPages(client, run, options))
    for (const fact of facts) yield { run: of, fact };
}

type FollowOptions = Pick<ReadOptions, 'follow' | 'schedule' | 'signal'>;

/** Facts of one run, as many at a time as the server says. */
interface RunPage {
  run: RunRef;
  facts: readonly Fact[];
  /** The number of the page's last event. */
  lastEvent: number;
}

export async function* readRunPages(
  client: Client,
  run: RunRef,
  options: FollowOptions,
): AsyncGenerator<RunPage> {
  for (let current: RunRef | undefined = run; current !== undefined;) {
    let next: RunRef | undefined;
    for await (const { facts, lastEvent } of readFactPages(client, current, options)) {
      // How the run began tells whether there is anything before it: who reads one that stands alone reads it once.
      const [first] = facts;
      if (first?.type === 'started' && current === run) yield* readBefore(client, first);
      // No event follows the end of a run, but the server may end a history with an empty page.
      next ??= nextAfter(current, facts.at(-1));
      yield { run: current, facts, lastEvent };
    }
    current = next;
  }
}

async function* readBefore(client: Client, start: StartedFact): AsyncGenerator<RunPage> {
  for (const { run, until } of await partsBefore(client, start)) {
    for await (const { facts, lastEvent } of readFactPages(client, run)) {
      const past = until === undefined ? -1 : facts.findIndex((fact) => isPast(fact, until));
      yield { run, facts: past < 0 ? facts : facts.slice(0, past), lastEvent };
      if (past >= 0) break;
    }
  }
}

/** The run that continues the one that ends with `fact`; undefined where none does, or it has not ended. */
export function nextAfter(run: RunRef, fact: Fact | undefined): RunRef | undefined {
  return fact?.type === 'run_continued' && fact.runId !== '' ? { ...run, runId: fact.runId } : undefined;
}

/**
 * The runs that continue-as-new has made of each other and that end with `run`, oldest first. Found backwards, run by run:
 * after a reset by Temporal the first run of an id leads to the run that was given up, not to the one in its place.
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

/** A run as far as it is part of a lineage. */
interface Part {
  run: RunRef;
  /** What comes after it has begun again. */
  until?: Restart | undefined;
}

/** The runs that `run` goes on from, by continue-as-new or by a person's word, oldest first, and itself. */
export async function partsUpTo(client: Client, run: RunRef): Promise<Part[]> {
  const start = await startIfThere(client, run);
  return [...(start === undefined ? [] : await partsBefore(client, start)), { run }];
}

async function partsBefore(client: Client, latest: StartedFact): Promise<Part[]> {
  const parts: Part[] = [];
  for (let start: StartedFact | undefined = latest; start !== undefined;) {
    const before = await partBefore(start);
    if (before === undefined) return parts;
    start = await startIfThere(client, before.run);
    if (start !== undefined) parts.unshift(before);
  }
  return parts;
}

async function partBefore(start: StartedFact): Promise<Part | undefined> {
  const { workflowId, previousRunId } = start;
  if (previousRunId !== undefined) return { run: { workflowId, runId: previousRunId } };
  const restart = await restartOf(start);
  if (restart === undefined) return undefined;
  const { from } = restart;
  return { run: { workflowId: from.workflowId ?? workflowId, runId: from.runId }, until: restart };
}

async function restartOf({ input }: StartedFact): Promise<Restart | undefined> {
  return asRunInput(await input())?.restart;
}

/** The end of a run that another one goes on from, and what it did from the step that is done again, are no part of it. */
function isPast(fact: Fact, { from }: Restart): boolean {
  switch (fact.type) {
    case 'run_succeeded':
    case 'run_failed':
    case 'run_cancelled':
    case 'run_continued':
      return true;
    default:
      return from.until !== undefined && fact.id >= from.until;
  }
}

async function startIfThere(client: Client, run: RunRef): Promise<StartedFact | undefined> {
  try {
    return await readStart(client, run);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
