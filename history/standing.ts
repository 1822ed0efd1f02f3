import type { Client } from '@temporalio/client';
import { type CallModelInput, type ModelTurn, parseActivityId } from '../agent/calls.ts';
import type { Counters } from '../agent/counters.ts';
import type { OperatorDecision, RunStep, WaitingCall } from '../agent/events.ts';
import { located } from '../agent/image-refs.ts';
import type { AgentManifest } from '../agent/manifest.ts';
import { type DoneCall, EARLIER_EFFECTS, lastOfEach } from '../agent/restart.ts';
import { withApproved } from '../agent/rules/approval.ts';
import { addAllowance } from '../agent/rules/extension.ts';
import type { RunMessage } from '../agent/rules/run-messages.ts';
import { withModelOf } from '../agent/transcript/edits.ts';
import type { Entry, Mark } from '../agent/transcript/entries.ts';
import type { AgentRunInput } from '../workflows/messages.ts';
import type { Spent } from './emitted.ts';
import type { Fact } from './fact.ts';
import { type RunFact, readRunFacts } from './lineage.ts';
import type { RunRef } from './pages.ts';
import type { Recorded } from './payloads.ts';
import { asCallModelInput, asDoneCalls, asModelTurn, asResolvedAgent, asRunInput } from './records.ts';
import { createRunClock } from './run-clock.ts';
import { createTrace } from './trace.ts';

/** Where a run can be taken up again: before each of its model calls, as it stood then. */
export interface Standing {
  /** What every run of the lineage has in common. */
  input: Pick<
    AgentRunInput,
    'agent' | 'question' | 'session' | 'overrides' | 'caller' | 'searchAttributes' | 'events'
  > & { root: string };
  /** undefined: the run ended before its agent was resolved. */
  manifest: AgentManifest | undefined;
  /** Its own agent's model calls, oldest first; what one carried follows on what the one before did. */
  asked: Asked[];
  /** Steps by their calls. */
  steps: Map<string, RunStep>;
  /** Calls of the last turn whose result is recorded. */
  results: Map<string, RecordedCall>;
  /** Effects of steps that were dropped before. */
  done: DoneCall[];
  /** Calls that a person has allowed, and what else is granted for the rest of the run. */
  approvedCalls: Set<string>;
  granted: Granted;
  /** What people have said since the last model call. */
  said: string[];
  /** At the end of the record. */
  spent: Spent;
  elapsedMs: number;
  /** The record goes back to the run's beginning. */
  isWhole: boolean;
}

/** What a person's word holds for until the run ends. */
type Granted = Pick<Counters, 'approved' | 'allowance'>;

/** The scope's transcript before a model call, what the call adds to it, and what came of it. */
export interface Asked {
  step: number;
  /** Whose record has it. */
  run: RunRef;
  before: Mark;
  delta: Entry[];
  /** What it came to carry: it may have been scheduled again when more had been said. */
  told: Entry[];
  repeat: CallModelInput['repeat'];
  granted: Granted;
  spent: Spent;
  elapsedMs: number;
  isScheduled: boolean;
  /** undefined: without a result so far. */
  turn: ModelTurn | undefined;
}

/** A result of an activity, and where it is. */
export interface RecordedCall {
  run: RunRef;
  activityId: string;
  result: Recorded;
}

/** Reads how `run` of the workflow stood at each step, over all that it goes on from. */
export async function readStanding(client: Client, run: RunRef): Promise<Standing> {
  const reading = newReading(run.workflowId);
  for await (const { run: recorder, fact } of readRunFacts(client, run)) {
    await reading.next({ run: recorder, fact });
  }
  return reading.standing();
}

function newReading(workflowId: string) {
  const trace = createTrace(workflowId);
  const clock = createRunClock();
  const scheduled = new Map<string, { name: string; activityId: string; call: string }>();
  const standing: Standing = {
    input: { agent: '', root: '' },
    manifest: undefined,
    asked: [],
    steps: new Map(),
    results: new Map(),
    done: [],
    approvedCalls: new Set(),
    granted: {},
    said: [],
    spent: trace.spent(),
    elapsedMs: 0,
    isWhole: false,
  };
  const waiting = new Map<string, WaitingCall>();
  let latestAt = 0;
  let isFirst = true;

  return {
    async next(item: RunFact): Promise<void> {
      const { fact } = item;
      await clock.next(fact);
      await read(item);
      for (const event of await trace.next(fact)) {
        if (event.type === 'step') standing.steps.set(event.step.call, event.step);
        if (event.type === 'waiting') waiting.set(event.park.call, event.park);
        if (event.type === 'decided') decided(event.call, event.decision);
        if (event.type === 'steered') steered(event.message);
      }
      if (!isEnd(fact)) latestAt = fact.at;
    },
    standing: () => ({ ...standing, spent: trace.spent(), elapsedMs: clock.elapsedMs(latestAt) }),
  };

  /** An approval of a call, and what else it holds for. */
  function decided(call: string, decision: OperatorDecision): void {
    const park = waiting.get(call);
    if (decision.type !== 'approve' || park === undefined) return;
    standing.approvedCalls.add(call);
    if (decision.remember === undefined) return;
    const input = decision.input ?? park.toolInput;
    const { granted } = standing;
    standing.granted = {
      ...granted,
      approved: withApproved(granted.approved, park.tool, input, decision.remember),
    };
  }

  function steered(message: RunMessage): void {
    const last = standing.asked.at(-1);
    const next = last?.isScheduled === false ? last : undefined; // it will carry what is said
    if (message.type === 'say') {
      const entry: Entry = { type: 'message', text: message.text };
      if (next === undefined) standing.said.push(message.text);
      else Object.assign(next, { delta: [...next.delta, entry], told: [...next.told, entry] });
    }
    if (message.type !== 'extend') return;
    const { type: _, ...by } = message;
    const { granted } = standing;
    standing.granted = { ...granted, allowance: addAllowance(granted.allowance ?? {}, by) };
    if (next !== undefined) next.granted = standing.granted;
  }

  async function read({ run, fact }: RunFact): Promise<void> {
    switch (fact.type) {
      case 'started':
        scheduled.clear(); // a new run counts its events anew
        return begin(run, fact.firstRunId, fact.at, asRunInput(await fact.input()));
      case 'scheduled':
        return schedule(run, fact);
      case 'succeeded':
        return succeeded(run, fact.key, fact.result);
      default:
        return;
    }
  }

  function begin(run: RunRef, firstRunId: string, at: number, input: AgentRunInput | undefined): void {
    if (input === undefined) return;
    const { agent, question, session, overrides, caller, searchAttributes, events, root } = input;
    const { from, pending = [], counters, restart, done = [] } = input;
    const before = standing.input;
    if (isFirst) standing.isWhole = from === undefined || from.entries !== undefined;
    isFirst = false;
    standing.input = {
      agent,
      session,
      caller,
      question: question ? { ...question, input: located(question.input, run) } : before.question,
      overrides: question === undefined ? before.overrides : overrides,
      searchAttributes: searchAttributes ?? before.searchAttributes,
      events: events ?? before.events,
      root: root ?? firstRunId,
    };
    standing.done = done;
    standing.said = []; // it is said again
    const { approved, allowance } = counters ?? {};
    standing.granted = { ...(approved && { approved }), ...(allowance && { allowance }) };
    standing.manifest = input.manifest ?? standing.manifest;
    if (from === undefined || counters === undefined || restart?.turn !== undefined) return;
    const { iterations, usage, repeat } = counters;
    // Where its first model call will stand.
    ask({
      step: iterations + 1,
      run: { workflowId: from.workflowId ?? run.workflowId, runId: from.runId },
      before: { length: from.length, digest: from.digest },
      delta: pending,
      told: pending,
      repeat,
      granted: standing.granted,
      spent: { iterations, usage },
      elapsedMs: clock.elapsedMs(at),
      isScheduled: false,
      turn: undefined,
    });
  }

  async function schedule(run: RunRef, fact: Extract<Fact, { type: 'scheduled' }>): Promise<void> {
    const id = parseActivityId(fact.workId);
    const isOurs = fact.name === EARLIER_EFFECTS;
    if (fact.of !== 'activity' || (id?.scope !== 0 && !isOurs)) return;
    const call = id?.call ?? '';
    scheduled.set(fact.key, { name: fact.name, activityId: fact.workId, call });
    if (fact.name !== 'callModel') return;
    const asked = asCallModelInput(await fact.input());
    if (asked === undefined) return;
    const { base, prev, delta, repeat } = asked;
    standing.said = [];
    const last = standing.asked.at(-1);
    if (last?.step === Number(call) && last.isScheduled && (id?.n ?? 0) > 0) {
      last.told = delta;
      return;
    }
    standing.results.clear();
    ask({
      step: Number(call),
      run,
      before: { length: base, digest: prev },
      delta,
      told: delta,
      repeat,
      granted: standing.granted,
      spent: trace.spent(),
      elapsedMs: clock.elapsedMs(fact.at),
      isScheduled: true,
      turn: undefined,
    });
  }

  /** A call that carries anew what others did takes their place. */
  function ask(next: Asked): void {
    const { asked } = standing;
    const reaches = ({ before, told }: Asked) => before.length + told.length > next.before.length;
    while (asked.length > 0 && asked.slice(-1).some(reaches)) asked.pop();
    while (asked.length > 0 && asked.slice(-1).some(({ step }) => step >= next.step)) asked.pop();
    asked.push(next);
  }

  async function succeeded(run: RunRef, key: string, result: Recorded): Promise<void> {
    const found = scheduled.get(key);
    if (found === undefined) return;
    const { name, activityId, call } = found;
    if (name === 'resolveAgent') {
      const manifest = asResolvedAgent(await result());
      if (manifest !== undefined) resolved(manifest);
    } else if (name === 'callModel') {
      const last = standing.asked.at(-1);
      const turn = asModelTurn(await result());
      if (last?.step === Number(call)) last.turn = turn;
    } else if (name === EARLIER_EFFECTS) {
      standing.done = lastOfEach([...standing.done, ...asDoneCalls(await result())]);
    } else {
      standing.results.set(call, { run, activityId, result });
    }
  }

  function resolved({
    manifest,
    searchAttributes,
    events,
  }: NonNullable<ReturnType<typeof asResolvedAgent>>): void {
    const pinned = standing.manifest;
    standing.manifest = pinned === undefined ? manifest : withModelOf(pinned, manifest);
    if (pinned === undefined) Object.assign(standing.input, { searchAttributes, events });
  }
}

function isEnd({ type }: Fact): boolean {
  return type === 'run_succeeded' || type === 'run_failed' || type === 'run_cancelled';
}
