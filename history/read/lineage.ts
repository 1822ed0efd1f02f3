import type { Client } from '@temporalio/client';
import type { Restart } from '../../agent/calls/restart.ts';
import type { Fact, StartedFact } from './fact.ts';
import { readFactPages, readFacts, readStart } from './facts.ts';
import { type ReadOptions, type RunRef, isNotFound } from './pages.ts';
import { asRunResult } from './records.ts';
import type { RecordedResult } from '../../workflows/messages.ts';
import { asRunInput } from '../../agent/run/run-input.ts';

export interface RunFact {
  run: RunRef;
  fact: Fact;
}

/**
 * Reads the facts of a run from its very beginning, over every continue-as-new. For a run that a rewind, fork, or retry started, the
 * kept facts of the earlier run come first. Runs past the namespace's retention are left out. `follow`: waits for new facts.
 */
export async function* readLineage(client: Client, run: RunRef, follow: boolean): AsyncGenerator<Fact> {
  for await (const { fact } of readRunFacts(client, run, { follow })) yield fact;
}

export async function* readRunFacts(
  client: Client,
  run: RunRef,
  options: FollowOptions = {},
): AsyncGenerator<RunFact> {
  for await (const { run: of, facts } of readRunPages(client, run, options))
    for (const fact of facts) yield { run: of, fact };
}

type FollowOptions = Pick<ReadOptions, 'follow' | 'signal'>;

interface RunPage {
  run: RunRef;
  facts: readonly Fact[];
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
      // The start says whether the run continues another run, so other runs need no second request.
      if (current === run) yield* readBefore(client, facts[0]);
      // No event follows the end of a run, but the server may end a history with an empty page.
      next ??= nextAfter(current, facts.at(-1));
      yield { run: current, facts, lastEvent };
    }
    current = next;
  }
}

/** `first`: of the run. */
async function* readBefore(client: Client, first: Fact | undefined): AsyncGenerator<RunPage> {
  if (first?.type !== 'started') return;
  for (const { run, until } of await partsBefore(client, first)) {
    for await (const { facts, lastEvent } of readFactPages(client, run)) {
      const end = until === undefined ? -1 : facts.findIndex((fact) => isDroppedBy(until, fact));
      yield { run, facts: end < 0 ? facts : facts.slice(0, end), lastEvent };
      if (end >= 0) break;
    }
  }
}

/** Returns the run that continues `run` after its last `fact`; undefined: the run has not ended, or not by continue-as-new. */
function nextAfter(run: RunRef, fact: Fact | undefined): RunRef | undefined {
  return fact?.type === 'run_continued' && fact.runId !== '' ? { ...run, runId: fact.runId } : undefined;
}

/**
 * Resolves when a run and every run that continues it are closed, to the result of the last one if it has succeeded. Requests only the closing event: with hundreds of runs at a time,
 * requests for the events before would cost a full machine a twentieth of its throughput (bench/overload.ts).
 */
export async function resultAtEnd(
  client: Client,
  run: RunRef,
  signal?: AbortSignal,
): Promise<RecordedResult | undefined> {
  for (let current: RunRef | undefined = run; current !== undefined;) {
    let next: RunRef | undefined;
    for await (const fact of readFacts(client, current, { follow: true, endOnly: true, signal })) {
      if (fact.type === 'run_succeeded') return asRunResult(await fact.result());
      next = nextAfter(current, fact);
    }
    current = next;
  }
  return undefined;
}

/**
 * Reads the continue-as-new chain that ends with `run`, oldest first. Goes backwards from `run`: after a Temporal reset, going forwards
 * from the first run would lead to the run that the reset replaced.
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

/** A run in a lineage, whole or up to a restart. */
interface LineagePart {
  run: RunRef;
  /** The restart that continues the run; facts from its step on are dropped. */
  until?: Restart | undefined;
}

/** Reads all runs that `run` continues, by continue-as-new or by a restart, oldest first, and `run` itself. */
export async function partsUpTo(client: Client, run: RunRef): Promise<LineagePart[]> {
  const start = await startIfThere(client, run);
  return [...(start === undefined ? [] : await partsBefore(client, start)), { run }];
}

async function partsBefore(client: Client, latest: StartedFact): Promise<LineagePart[]> {
  const parts: LineagePart[] = [];
  for (let start: StartedFact | undefined = latest; start !== undefined;) {
    const before = await partBefore(start);
    if (before === undefined) return parts;
    start = await startIfThere(client, before.run);
    if (start !== undefined) parts.unshift(before);
  }
  return parts;
}

async function partBefore(start: StartedFact): Promise<LineagePart | undefined> {
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

/** Returns true for a fact that a restart does not keep: the end of the earlier run, and facts from the repeated step on. */
function isDroppedBy({ from }: Restart, fact: Fact): boolean {
  if (fact.type === 'run_continued' || isRunEnd(fact)) return true;
  return from.until !== undefined && fact.id >= from.until;
}

export function isRunEnd({ type }: Fact): boolean {
  return type === 'run_succeeded' || type === 'run_failed' || type === 'run_cancelled';
}

async function startIfThere(client: Client, run: RunRef): Promise<StartedFact | undefined> {
  try {
    return await readStart(client, run);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
