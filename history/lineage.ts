import type { Client } from '@temporalio/client';
import { parseActivityId } from '../agent/calls.ts';
import { type Restart, replacedRun } from '../agent/restart.ts';
import type { Fact, StartedFact } from './fact.ts';
import { readFactPages, readFacts, readStart } from './facts.ts';
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
 * `follow`: and what is to come, until `signal`, in a run that takes this one's place too.
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

type FollowOptions = Pick<ReadOptions, 'follow' | 'pace' | 'signal'>;

/** Facts of one run, as many at a time as the server says. */
interface RunPage {
  run: RunRef;
  facts: readonly Fact[];
}

export async function* readRunPages(
  client: Client,
  run: RunRef,
  options: FollowOptions,
): AsyncGenerator<RunPage> {
  const { follow = false } = options;
  for (let current: RunRef | undefined = run; current !== undefined;) {
    let next: RunRef | undefined;
    for await (const facts of readFactPages(client, current, options)) {
      // How the run began tells whether there is anything before it: who reads one that stands alone reads it once.
      const [first] = facts;
      if (first?.type === 'started' && current === run) yield* readBefore(client, first);
      // Nothing comes behind the end of a run.
      const last = facts.at(-1);
      if (last !== undefined && (follow || last.type === 'run_continued'))
        next = await nextAfter(client, current, last);
      const isReplaced = next !== undefined && last?.type !== 'run_continued';
      yield { run: current, facts: isReplaced ? facts.slice(0, -1) : facts };
      if (isReplaced) break;
    }
    current = next;
  }
}

async function* readBefore(client: Client, start: StartedFact): AsyncGenerator<RunPage> {
  for (const { run, until } of await partsBefore(client, start)) {
    for await (const facts of readFactPages(client, run)) {
      const past = until === undefined ? -1 : facts.findIndex((fact) => isPast(fact, until));
      yield { run, facts: past < 0 ? facts : facts.slice(0, past) };
      if (past >= 0) break;
    }
  }
}

/**
 * Resolves when a run is over, and so is every run that it goes on as: by continue-as-new, or by one that takes its place.
 * The server is asked for the end alone, so that it costs the same however much happens until then.
 */
export async function untilOver(client: Client, run: RunRef, signal?: AbortSignal): Promise<void> {
  for (let current: RunRef | undefined = run; current !== undefined;) {
    let next: RunRef | undefined;
    for await (const fact of readFacts(client, current, { follow: true, endOnly: true, signal }))
      next = await nextAfter(client, current, fact);
    current = next;
  }
}

/** The run that a run goes on as which ends so; undefined where it does not, or has not ended. */
async function nextAfter(client: Client, run: RunRef, fact: Fact): Promise<RunRef | undefined> {
  if (fact.type === 'run_continued' && fact.runId !== '') return { ...run, runId: fact.runId };
  const isTerminated = fact.type === 'run_failed' && fact.terminated === true;
  return isTerminated ? successorOf(client, run) : undefined;
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

/** The run that took the place of one that was terminated for it; undefined where there is none. */
export async function successorOf(client: Client, run: RunRef): Promise<RunRef | undefined> {
  const { runId } = await client.workflow.getHandle(run.workflowId).describe();
  for (let at = { ...run, runId }; at.runId !== run.runId;) {
    const start = await startIfThere(client, at);
    const before = start && (start.previousRunId ?? (await replacedBy(start)));
    if (before === undefined) return undefined;
    if (before === run.runId) return at;
    at = { ...run, runId: before };
  }
  return undefined;
}

async function replacedBy(start: StartedFact): Promise<string | undefined> {
  const restart = await restartOf(start);
  return restart && replacedRun(restart);
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

/** The end of a run that another one goes on from, and the model call that is made anew there, are no part of it. */
function isPast(fact: Fact, { step, turn }: Restart): boolean {
  switch (fact.type) {
    case 'run_succeeded':
    case 'run_failed':
    case 'run_cancelled':
    case 'run_continued':
      return true;
    case 'scheduled': {
      if (turn !== undefined || fact.of !== 'activity' || fact.name !== 'callModel') return false;
      const id = parseActivityId(fact.workId);
      return id?.scope === 0 && Number(id.call) >= step;
    }
    default:
      return false;
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
