import type { Client } from '@temporalio/client';
import { type ToolResult, parseActivityId } from '../../agent/calls/calls.ts';
import { editsOf, isDropped } from '../../agent/calls/restart.ts';
import { readToolResult } from '../../agent/calls/tool-result.ts';
import { asRunInput } from '../../agent/run/run-input.ts';
import { type OperatorDecision, isAnswerFor } from '../../agent/rules/decisions.ts';
import { jsonBytes } from '../../agent/values/digest.ts';
import type { Json } from '../../agent/values/vocabulary.ts';
import type { Fact } from '../read/fact.ts';
import { readFacts } from '../read/facts.ts';
import type { RunRef } from '../read/pages.ts';
import type { Recorded } from '../read/payloads.ts';
import { ownReads, rewindStep } from '../read/scheduled-call.ts';
import { asDecision } from '../read/records.ts';

/** Selects the calls of one tool, by one agent of the workflow. */
export interface CallFilter {
  tool: string;
  scope: number;
}

/** The calls that ended so far, over all runs that this run continues, and the point up to which the run was read. */
export interface EndedCalls {
  calls: readonly { call: string; toolInput: Json; output: Json }[];
  bytes: number;
  /** Calls under way, by the key of their facts. */
  open: ReadonlyMap<string, { call: string; input: Recorded }>;
  /** Deferred calls without a result, by call. */
  deferred: ReadonlyMap<string, Deferred>;
  /** Answers by token that arrived while the call was running, by call. The call's token is known when the call defers. */
  early: ReadonlyMap<string, readonly OperatorDecision[]>;
  /** Data of updates that are accepted and not completed, by the key of their facts. */
  decisions: ReadonlyMap<string, Recorded>;
  /** Id of the last fact that was read. */
  upTo: number;
}

interface Deferred {
  toolInput: Json;
  token: string | undefined;
}

const NONE: EndedCalls = {
  calls: [],
  bytes: 0,
  open: new Map(),
  deferred: new Map(),
  early: new Map(),
  decisions: new Map(),
  upTo: 0,
};

/**
 * Reads the ended calls of `run`. If `known` returns an earlier result, only newer facts are read, from the end of the history: the cost
 * does not grow with the length of the run.
 */
export async function readEndedCalls(
  client: Client,
  run: RunRef,
  filter: CallFilter,
  known: (run: RunRef) => EndedCalls | undefined,
): Promise<EndedCalls> {
  const before = known(run);
  if (before !== undefined) return withFacts(before, await factsSince(client, run, before.upTo), filter);
  const facts: Fact[] = [];
  const isRelevant = createSelection(filter);
  let upTo = 0;
  for await (const fact of readFacts(client, run)) {
    upTo = fact.id;
    if (isRelevant(fact)) facts.push(fact);
  }
  const origin = filter.scope === 0 ? await originOf(run, facts[0]) : undefined;
  if (origin === undefined) return withFacts({ ...NONE, upTo }, facts, filter);
  const { calls, bytes } = await readEndedCalls(client, origin.run, filter, known);
  const kept = calls
    .filter(({ call }) => origin.keeps(call))
    .map((ended) => ({ ...ended, output: origin.edits.get(ended.call) ?? ended.output }));
  return withFacts({ ...NONE, calls: kept, bytes, upTo }, facts, filter);
}

async function factsSince(client: Client, run: RunRef, id: number): Promise<Fact[]> {
  const facts: Fact[] = [];
  for await (const fact of readFacts(client, run, { latestFirst: true })) {
    if (fact.id <= id) break;
    facts.push(fact);
  }
  return facts.toReversed();
}

/** Returns a function that selects facts. The others are dropped while reading, with the results of other tools: a history may be long. */
function createSelection({ tool }: CallFilter): (fact: Fact) => boolean {
  const keys = new Set<string>();
  return (fact) => {
    if (fact.type === 'succeeded') return keys.delete(fact.key);
    if (fact.type !== 'scheduled')
      return ['started', 'update_accepted', 'update_completed'].includes(fact.type);
    if (fact.of === 'activity' && fact.name === tool) keys.add(fact.key);
    return keys.has(fact.key) || ownReads.get(fact.name) === 'point';
  };
}

/** The run that another run continues, and the calls that the other run keeps. */
interface CallsBefore {
  run: RunRef;
  keeps(call: string): boolean;
  /** Results that a person replaced, by call. */
  edits: ReadonlyMap<string, Json>;
}

async function originOf({ workflowId }: RunRef, first: Fact | undefined): Promise<CallsBefore | undefined> {
  if (first?.type !== 'started') return undefined;
  const { from, restart, pending } = asRunInput(await first.input()) ?? {};
  const before = restart?.from ?? from;
  if (before === undefined) return undefined;
  const run = { workflowId: before.workflowId ?? workflowId, runId: before.runId };
  if (restart === undefined) return { run, keeps: () => true, edits: new Map() };
  // A retry keeps the calls that ended in the turn that it resumes.
  const again = restart.turn && [];
  const edits = new Map(editsOf(restart, pending).map(({ call, observation }) => [call, observation]));
  return { run, keeps: (call) => !isDropped(call, { step: restart.step, again }), edits };
}

async function withFacts(
  before: EndedCalls,
  facts: readonly Fact[],
  { tool, scope }: CallFilter,
): Promise<EndedCalls> {
  let calls = [...before.calls];
  const open = new Map(before.open);
  const [deferred, decisions] = [new Map(before.deferred), new Map(before.decisions)];
  const early = new Map(before.early);
  let { bytes } = before;
  for (const fact of facts) {
    const rewound = await rewindStep(fact);
    if (rewound !== undefined) dropFrom(rewound);
    else if (fact.type === 'scheduled' && fact.name === tool) {
      const id = parseActivityId(fact.workId);
      if (id?.scope !== scope) continue;
      open.set(fact.key, { call: id.call, input: fact.input });
      deferred.delete(id.call); // the tool is started again
    } else if (fact.type === 'succeeded') {
      const started = open.get(fact.key);
      if (started === undefined) continue;
      open.delete(fact.key);
      const recorded = await fact.result();
      const byOperator: ToolResult = { output: (recorded ?? null) as Json }; // JSON, by Temporal's own command
      const result = readToolResult(recorded) ?? byOperator;
      const toolInput = ((await started.input()) ?? null) as Json; // a tool activity has one argument
      // The tool's `reconcile` has answered: the earlier schedule has no result.
      if (result.reconciled === 'notDone' || result.reconciled === 'unknown') continue;
      if (result.kind === 'deferred') addDeferred(started.call, { toolInput, token: result.token });
      else if (result.kind !== 'asks') addEnded(started.call, toolInput, result.output);
    } else if (fact.type === 'update_accepted' && open.size + deferred.size > 0)
      decisions.set(fact.key, fact.input);
    else if (fact.type === 'update_completed') await readDecision(fact.key, fact.result);
  }
  const upTo = Math.max(before.upTo, facts.at(-1)?.id ?? 0);
  return { calls, bytes, open, deferred, early, decisions, upTo };

  /** Drops the calls from a step on, when the run rewinds itself. */
  function dropFrom(step: number): void {
    calls = calls.filter(({ call }) => !isDropped(call, { step }));
    bytes = calls.reduce((sum, { toolInput, output }) => sum + jsonBytes([toolInput, output]), 0);
    for (const state of [open, deferred, early, decisions]) state.clear();
  }

  function addEnded(call: string, toolInput: Json, output: Json): void {
    early.delete(call);
    calls.push({ call, toolInput, output });
    bytes += jsonBytes([toolInput, output]);
  }

  /** Adds a deferred call. Its result may have arrived already, as an early answer. */
  function addDeferred(call: string, waiting: Deferred): void {
    deferred.set(call, waiting);
    const answers = early.get(call) ?? [];
    early.delete(call);
    const answer = answers.find((other) => isAnswerFor(waiting.token, other));
    if (answer !== undefined) resolve(call, answer);
  }

  function resolve(call: string, decision: OperatorDecision): void {
    const waiting = deferred.get(call);
    if (decision.type !== 'resolve' || waiting === undefined) return;
    deferred.delete(call);
    addEnded(call, waiting.toolInput, decision.output);
  }

  async function readDecision(key: string, answer: Recorded | undefined): Promise<void> {
    const sent = decisions.get(key);
    decisions.delete(key);
    if (sent === undefined || answer === undefined) return;
    const recorded = asDecision(await answer(), await sent());
    const id = parseActivityId(recorded?.call ?? '');
    if (recorded === undefined || id?.scope !== scope) return;
    const { call } = id;
    const waiting = deferred.get(call);
    const isRunning = waiting === undefined && [...open.values()].some((other) => other.call === call);
    if (!recorded.isKept || isAnswerFor(waiting?.token, recorded.decision)) resolve(call, recorded.decision);
    else if (isRunning) early.set(call, [...(early.get(call) ?? []), recorded.decision]);
  }
}
