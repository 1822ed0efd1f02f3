import type { Client } from '@temporalio/client';
import { parseActivityId } from '../../agent/calls/calls.ts';
import type { OperatorDecision } from '../../agent/run/events.ts';
import { withApproved } from '../../agent/rules/approval.ts';
import { qualifyImageRefs } from '../../agent/start/image-refs.ts';
import { readModelTurn } from '../../agent/calls/model-turn.ts';
import { EARLIER_EFFECTS, lastOfEach } from '../../agent/calls/restart.ts';
import {
  type AgentRunInput,
  asRunInput,
  type RestartPoint,
  REWIND_POINT,
  type RewindPoint,
} from '../../agent/run/run-input.ts';
import { addAllowance } from '../../agent/limits/extension.ts';
import type { RunMessage } from '../../agent/rules/run-messages.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import { takingOver, withModelOf } from '../../agent/definition/handed-over.ts';
import { agentOf } from '../../agent/transcript/prompt-context.ts';
import type { Entry } from '../../agent/transcript/entries.ts';
import { type RecordedModelCall, type RestartRecord, addModelCall } from './restart-point.ts';
import type { Fact } from '../read/fact.ts';
import { type RunFact, readRunFacts } from '../read/lineage.ts';
import type { RunRef } from '../read/pages.ts';
import { asCallModelInput, asDoneCalls, asResolvedAgent, asRewindPoint } from '../read/records.ts';
import { RecentUpdates } from './update-receipts.ts';
import { scheduledCall } from '../read/scheduled-call.ts';
import { UncarriedMessages } from '../../agent/calls/uncarried-messages.ts';
import { createTrace } from '../trace/trace.ts';

/** Reads the state of a run at each step, over all runs that it continues. */
export async function readRestartRecord(client: Client, run: RunRef): Promise<RestartRecord> {
  const [reading, updates] = [createReading(run.workflowId), new RecentUpdates()];
  for await (const item of readRunFacts(client, run)) {
    await reading.next(item);
    updates.next(item.fact);
  }
  return { ...reading.result(), takenWords: await updates.recent() };
}

function createReading(workflowId: string) {
  const runTrace = createTrace(workflowId);
  const scheduled = new Map<string, { name: string; activityId: string; call: string }>();
  const record: Omit<RestartRecord, 'takenWords'> = {
    input: { agent: '', root: '' },
    manifest: undefined,
    agents: new Map(),
    modelCalls: [],
    calls: runTrace.run.calls,
    results: new Map(),
    done: [],
    granted: {},
    lastN: -1,
    undelivered: [],
    spent: runTrace.run.spent,
    elapsedMs: 0,
    isWhole: false,
  };
  const undelivered = new UncarriedMessages();
  let latestAt = 0;
  let isFirst = true;
  let isRewinding = false;
  /** The agent that has the conversation. */
  let current: AgentManifest | undefined;

  return {
    async next(item: RunFact): Promise<void> {
      const { fact } = item;
      const events = await runTrace.next(fact);
      await read(item);
      for (const event of events) {
        if (event.type === 'waiting' && !event.wait.call.includes('/')) noteNumber(event.wait.n);
        if (event.type === 'decided') readDecision(event.call, event.decision);
        if (event.type === 'steered') readMessage(event.message);
      }
      if (!isEnd(fact)) latestAt = fact.at;
    },
    result: () => ({
      ...record,
      undelivered: [...undelivered.texts],
      spent: runTrace.run.spent,
      elapsedMs: runTrace.run.elapsedMs(latestAt),
    }),
  };

  /** Adds the decision to the approvals for the rest of the run, if it is such an approval. */
  function readDecision(id: string, decision: OperatorDecision): void {
    const { granted } = record;
    const call = runTrace.run.calls.get(id);
    if (decision.type !== 'approve' || decision.remember === undefined || call === undefined) return;
    const { tool, toolInput } = call.action;
    const approved = withApproved(granted.approved, tool, toolInput, decision.remember);
    record.granted = { ...granted, approved };
  }

  function readMessage(message: RunMessage): void {
    const last = record.modelCalls.at(-1);
    // The first schedule of this model call will carry the message.
    const next = last?.isScheduled === false && !isRewinding ? last : undefined;
    if (message.type === 'say') {
      const entry: Entry = { type: 'message', text: message.text };
      if (next === undefined) undelivered.receive(message.text);
      else Object.assign(next, { delta: [...next.delta, entry], carried: [...next.carried, entry] });
    }
    if (message.type === 'rewind') {
      undelivered.take();
      isRewinding = true;
    }
    if (message.type !== 'extend') return;
    const { type: _, ...by } = message;
    const { granted } = record;
    record.granted = { ...granted, allowance: addAllowance(granted.allowance ?? {}, by) };
    if (next !== undefined) next.granted = record.granted;
  }

  async function read({ run, fact }: RunFact): Promise<void> {
    switch (fact.type) {
      case 'started':
        scheduled.clear(); // each run numbers its events from 1
        return readStart(run, fact.firstRunId, fact.at, asRunInput(await fact.input()));
      case 'scheduled':
        return readSchedule(run, fact);
      case 'succeeded':
        return readResult(run, fact);
      default:
        return;
    }
  }

  function readStart(run: RunRef, firstRunId: string, at: number, input: AgentRunInput | undefined): void {
    if (input === undefined) return;
    for (const other of input.agents ?? []) record.agents.set(other.name, other);
    if (input.manifest !== undefined) record.agents.set(input.manifest.name, (current = input.manifest));
    const { agent, question, session, overrides, caller, searchAttributes, events, trace, root } = input;
    const { parentBudget, insteadOf } = question === undefined ? record.input : input;
    const { from, pending = [], counters, restart, done = [] } = input;
    const before = record.input;
    if (isFirst) record.isWhole = from === undefined || from.entries !== undefined;
    isFirst = false;
    record.input = {
      agent,
      session,
      caller,
      parentBudget,
      insteadOf,
      question: question ? { ...question, input: qualifyImageRefs(question.input, run) } : before.question,
      overrides: question === undefined ? before.overrides : overrides,
      searchAttributes: searchAttributes ?? before.searchAttributes,
      events: events ?? before.events,
      trace: trace ?? before.trace,
      root: root ?? firstRunId,
    };
    record.done = done;
    noteNumber((input.firstN ?? 0) - 1);
    undelivered.take(); // the run's input repeats them
    if (input.restart !== undefined) undelivered.rewind();
    const { approved, allowance } = counters ?? {};
    record.granted = { ...(approved && { approved }), ...(allowance && { allowance }) };
    record.manifest = input.manifest ?? record.manifest;
    const last = record.modelCalls.at(-1);
    // A retried run starts with the model's turn of that step, whose calls have their latest inputs and approvals.
    if (restart?.turn !== undefined && last?.step === restart.step) last.turn = restart.turn.turn;
    if (from === undefined || counters === undefined || restart?.turn !== undefined) return;
    const kept = restart?.from ?? from;
    addFirstModelCall(run, { from, pending, counters }, at, {
      ...kept,
      workflowId: kept.workflowId ?? run.workflowId,
    });
  }

  /** Adds the first model call of a run that starts with kept steps, or that has rewound itself. */
  function addFirstModelCall(
    run: RunRef,
    { from, pending, counters }: Pick<RestartPoint, 'from' | 'pending' | 'counters'>,
    at: number,
    kept: RecordedModelCall['kept'],
  ): void {
    readAgentEntry(pending);
    const { iterations, usage, repeat, size } = counters;
    addModelCall(record.modelCalls, {
      step: iterations + 1,
      run: { workflowId: from.workflowId ?? run.workflowId, runId: from.runId },
      kept,
      before: { length: from.length, digest: from.digest },
      delta: pending,
      carried: pending,
      manifest: current,
      repeat,
      size,
      granted: record.granted,
      spent: { iterations, usage },
      elapsedMs: runTrace.run.elapsedMs(at),
      isScheduled: false,
      turn: undefined,
    });
  }

  function readRewind(run: RunRef, point: RewindPoint, { id, at }: Fact): void {
    current = (point.agent === undefined ? undefined : record.agents.get(point.agent)) ?? current;
    const { approved, allowance } = point.counters;
    record.granted = { ...(approved && { approved }), ...(allowance && { allowance }) };
    record.done = point.done;
    record.results.clear();
    isRewinding = false;
    undelivered.rewind();
    const messages = undelivered.take().map((text): Entry => ({ type: 'message', text }));
    const pending = [...point.pending, ...messages];
    addFirstModelCall(run, { ...point, pending }, at, { ...run, until: id + 1 });
  }

  function noteNumber(n: number): void {
    record.lastN = Math.max(record.lastN, n);
  }

  async function readSchedule(run: RunRef, fact: Extract<Fact, { type: 'scheduled' }>): Promise<void> {
    const id = parseActivityId(fact.workId);
    const asksForEffects = fact.name === EARLIER_EFFECTS;
    if (fact.of === 'child') noteNumber(scheduledCall(workflowId, fact)?.n ?? 0);
    if (fact.of !== 'activity' || (id?.scope !== 0 && !asksForEffects)) return;
    const call = id?.call ?? '';
    noteNumber(id?.n ?? 0);
    scheduled.set(fact.key, { name: fact.name, activityId: fact.workId, call });
    if (fact.name !== 'callModel') return;
    const input = asCallModelInput(await fact.input());
    if (input === undefined) return;
    const { base, prev, delta, repeat, size, compact } = input;
    if (compact === true) return; // the next call carries the entries
    undelivered.carry(0, input);
    readAgentEntry(delta);
    const last = record.modelCalls.at(-1);
    if (last?.step === Number(call) && last.isScheduled && (id?.n ?? 0) > 0) {
      last.carried = delta;
      return;
    }
    record.results.clear();
    addModelCall(record.modelCalls, {
      step: Number(call),
      run,
      kept: { ...run, until: fact.id },
      before: { length: base, digest: prev },
      delta,
      carried: delta,
      manifest: current,
      repeat,
      size,
      granted: record.granted,
      spent: runTrace.run.spent,
      elapsedMs: runTrace.run.elapsedMs(fact.at),
      isScheduled: true,
      turn: undefined,
    });
  }

  /** The entries may give the conversation to another agent. */
  function readAgentEntry(entries: readonly Entry[]): void {
    const manifest = agentOf(entries)?.manifest;
    if (manifest !== undefined) record.agents.set(manifest.name, (current = manifest));
  }

  async function readResult(run: RunRef, fact: Extract<Fact, { type: 'succeeded' }>): Promise<void> {
    const { result } = fact;
    const activity = scheduled.get(fact.key);
    if (activity === undefined) return;
    const { name, activityId, call } = activity;
    if (name === 'resolveAgent') {
      readAgent(await result());
    } else if (name === 'callModel') {
      const last = record.modelCalls.at(-1);
      const turn = readModelTurn(await result());
      if (last?.step === Number(call)) last.turn = turn;
    } else if (name === REWIND_POINT) {
      const point = asRewindPoint(await result());
      if (point !== undefined) readRewind(run, point, fact);
    } else if (name === EARLIER_EFFECTS) {
      record.done = lastOfEach([...record.done, ...asDoneCalls(await result())]);
    } else {
      record.results.set(call, { run, activityId, result });
    }
  }

  function readAgent(resolved: unknown): void {
    const { manifest, searchAttributes, events, trace } = asResolvedAgent(resolved) ?? {};
    if (manifest === undefined) return;
    const pinned = record.manifest;
    if (pinned !== undefined && manifest.name !== pinned.name) {
      // The run may end before it asks the agent that takes it over.
      if (!record.agents.has(manifest.name))
        record.agents.set(manifest.name, takingOver(manifest, current ?? pinned));
      return;
    }
    record.manifest = pinned === undefined ? manifest : withModelOf(pinned, manifest);
    if (pinned === undefined) Object.assign(record.input, { searchAttributes, events, trace });
  }
}

function isEnd({ type }: Fact): boolean {
  return type === 'run_succeeded' || type === 'run_failed' || type === 'run_cancelled';
}
