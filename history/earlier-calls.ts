import type { Client } from '@temporalio/client';
import { parseActivityId } from '../agent/calls.ts';
import { isDropped } from '../agent/restart.ts';
import { utf8Length } from '../agent/transcript/digest.ts';
import type { Json } from '../agent/vocabulary.ts';
import type { Fact } from './fact.ts';
import { readFacts } from './facts.ts';
import type { RunRef } from './pages.ts';
import type { Recorded } from './payloads.ts';
import { asRunInput, asToolResult } from './records.ts';

/** Whose calls: one tool's, of one agent of the workflow. */
export interface CallsOf {
  tool: string;
  scope: number;
}

/** The calls that ended so far, over all the runs that go on from each other, and how far the run was read. */
export interface EndedCalls {
  calls: readonly { call: string; toolInput: Json; output: Json }[];
  bytes: number;
  /** Begun and not ended, by the fact that began them. */
  open: ReadonlyMap<string, { call: string; input: Recorded }>;
  /** Id of the last fact that is in it. */
  upTo: number;
}

const NONE: EndedCalls = { calls: [], bytes: 0, open: new Map(), upTo: 0 };

/**
 * Reads the calls of `run` that have ended. Of what is `known` from before, only what came since is read: from the end of
 * the history, so that a late call costs what an early one does.
 */
export async function readEndedCalls(
  client: Client,
  run: RunRef,
  of: CallsOf,
  known: (run: RunRef) => EndedCalls | undefined,
): Promise<EndedCalls> {
  const before = known(run);
  if (before !== undefined) return withFacts(before, await factsSince(client, run, before.upTo), of);
  const facts: Fact[] = [];
  for await (const fact of readFacts(client, run)) if (isOfInterest(fact, of)) facts.push(fact);
  const origin = of.scope === 0 ? await originOf(run, facts[0]) : undefined;
  if (origin === undefined) return withFacts(NONE, facts, of);
  const { calls, bytes } = await readEndedCalls(client, origin.run, of, known);
  return withFacts({ ...NONE, calls: calls.filter(({ call }) => origin.keeps(call)), bytes }, facts, of);
}

async function factsSince(client: Client, run: RunRef, id: number): Promise<Fact[]> {
  const facts: Fact[] = [];
  for await (const fact of readFacts(client, run, { latestFirst: true })) {
    if (fact.id <= id) break;
    facts.push(fact);
  }
  return facts.toReversed();
}

/** Facts of no interest are dropped while reading, because a history may be long. */
function isOfInterest(fact: Fact, { tool }: CallsOf): boolean {
  if (fact.type === 'scheduled') return fact.of === 'activity' && fact.name === tool;
  return fact.type === 'started' || fact.type === 'succeeded';
}

/** The run that another one goes on from, and which of its calls are part of that one. */
interface CallsBefore {
  run: RunRef;
  keeps(call: string): boolean;
}

async function originOf({ workflowId }: RunRef, first: Fact | undefined): Promise<CallsBefore | undefined> {
  if (first?.type !== 'started') return undefined;
  const { from, restart } = asRunInput(await first.input()) ?? {};
  const before = restart?.from ?? from;
  if (before === undefined) return undefined;
  const run = { workflowId: before.workflowId ?? workflowId, runId: before.runId };
  if (restart === undefined) return { run, keeps: () => true };
  // What ended in a turn that is taken up again stays.
  const again = restart.turn && [];
  return { run, keeps: (call) => !isDropped(call, { step: restart.step, again }) };
}

async function withFacts(
  before: EndedCalls,
  facts: readonly Fact[],
  { tool, scope }: CallsOf,
): Promise<EndedCalls> {
  const [calls, open] = [[...before.calls], new Map(before.open)];
  let { bytes } = before;
  for (const fact of facts) {
    if (fact.type === 'scheduled' && fact.name === tool) {
      const id = parseActivityId(fact.workId);
      if (id?.scope === scope) open.set(fact.key, { call: id.call, input: fact.input });
    }
    const begun = fact.type === 'succeeded' ? open.get(fact.key) : undefined;
    if (fact.type !== 'succeeded' || begun === undefined) continue;
    open.delete(fact.key);
    const result = asToolResult(await fact.result());
    if (result === undefined) continue;
    const toolInput = ((await begun.input()) ?? null) as Json; // a tool activity's one argument
    calls.push({ call: begun.call, toolInput, output: result.output });
    bytes += utf8Length(JSON.stringify([toolInput, result.output]));
  }
  return { calls, bytes, open, upTo: facts.at(-1)?.id ?? before.upTo };
}
