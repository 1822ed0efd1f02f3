import type { Client } from '@temporalio/client';
import { type ModelTurn, parseActivityId } from '../../agent/calls/calls.ts';
import type { OperatorDecision } from '../../agent/run/events.ts';
import { qualifyImageRefs } from '../../agent/start/image-refs.ts';
import { EARLIER_EFFECTS, lastOfEach } from '../../agent/calls/restart.ts';
import { REWIND_POINT, type RestartPoint, type RewindPoint } from '../../agent/run/rewind-point.ts';
import { addAllowance } from '../../agent/limits/extension.ts';
import type { RunMessage } from '../../agent/rules/run-messages.ts';
import { withModelOf } from '../../agent/run/transcript-edits.ts';
import type { Entry } from '../../agent/transcript/entries.ts';
import type { AgentRunInput } from '../../workflows/messages.ts';
import type { Asked, Standing } from './restart-point.ts';
import { createDecidedInputs } from '../trace/decided-inputs.ts';
import type { Fact } from '../read/fact.ts';
import { type RunFact, readRunFacts } from '../read/lineage.ts';
import type { RunRef } from '../read/pages.ts';
import {
  asCallModelInput,
  asDoneCalls,
  asModelTurn,
  asResolvedAgent,
  asRewindPoint,
  asRunInput,
} from '../read/records.ts';
import { createRunClock } from '../trace/run-clock.ts';
import { createTrace } from '../trace/trace.ts';

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
  const people = createDecidedInputs();
  const scheduled = new Map<string, { name: string; activityId: string; call: string }>();
  const standing: Standing = {
    input: { agent: '', root: '' },
    manifest: undefined,
    asked: [],
    steps: new Map(),
    results: new Map(),
    done: [],
    inputs: people.inputs,
    granted: {},
    lastN: -1,
    said: [],
    spent: trace.spent(),
    elapsedMs: 0,
    isWhole: false,
  };
  let latestAt = 0;
  let isFirst = true;
  let isRewinding = false;

  return {
    async next(item: RunFact): Promise<void> {
      const { fact } = item;
      await clock.next(fact);
      await read(item);
      for (const event of await trace.next(fact)) {
        people.next(event);
        if (event.type === 'step') standing.steps.set(event.step.call, event.step);
        if (event.type === 'waiting' && !event.wait.call.includes('/')) counted(event.wait.n);
        if (event.type === 'decided') decided(event.call, event.decision);
        if (event.type === 'steered') steered(event.message);
      }
      if (!isEnd(fact)) latestAt = fact.at;
    },
    standing: () => ({ ...standing, spent: trace.spent(), elapsedMs: clock.elapsedMs(latestAt) }),
  };

  function decided(call: string, decision: OperatorDecision): void {
    const { approved: before, ...granted } = standing.granted;
    const approved = people.approvals(call, decision, before);
    standing.granted = approved === undefined ? granted : { ...granted, approved };
  }

  function steered(message: RunMessage): void {
    const last = standing.asked.at(-1);
    const next = last?.isScheduled === false && !isRewinding ? last : undefined; // it will carry what is said
    if (message.type === 'say') {
      const entry: Entry = { type: 'message', text: message.text };
      if (next === undefined) standing.said.push(message.text);
      else Object.assign(next, { delta: [...next.delta, entry], told: [...next.told, entry] });
    }
    if (message.type === 'rewind') {
      standing.said = [];
      isRewinding = true;
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
        return succeeded(run, fact);
      default:
        return;
    }
  }

  function begin(run: RunRef, firstRunId: string, at: number, input: AgentRunInput | undefined): void {
    if (input === undefined) return;
    const { agent, question, session, overrides, caller, searchAttributes, events, root } = input;
    const { parentBudget, insteadOf } = question === undefined ? standing.input : input;
    const { from, pending = [], counters, restart, done = [] } = input;
    const before = standing.input;
    if (isFirst) standing.isWhole = from === undefined || from.entries !== undefined;
    isFirst = false;
    standing.input = {
      agent,
      session,
      caller,
      parentBudget,
      insteadOf,
      question: question ? { ...question, input: qualifyImageRefs(question.input, run) } : before.question,
      overrides: question === undefined ? before.overrides : overrides,
      searchAttributes: searchAttributes ?? before.searchAttributes,
      events: events ?? before.events,
      root: root ?? firstRunId,
    };
    standing.done = done;
    counted((input.firstN ?? 0) - 1);
    standing.said = []; // it is said again
    const { approved, allowance } = counters ?? {};
    standing.granted = { ...(approved && { approved }), ...(allowance && { allowance }) };
    standing.manifest = input.manifest ?? standing.manifest;
    if (restart?.turn !== undefined) takeUp(restart.step, restart.turn.turn);
    if (from === undefined || counters === undefined || restart?.turn !== undefined) return;
    const kept = restart?.from ?? from;
    askFirst(run, { from, pending, counters }, at, {
      ...kept,
      workflowId: kept.workflowId ?? run.workflowId,
    });
  }

  /** Where the first model call will stand of a run that begins with the steps of another one, or has rewound itself. */
  function askFirst(
    run: RunRef,
    { from, pending, counters }: Pick<RestartPoint, 'from' | 'pending' | 'counters'>,
    at: number,
    kept: Asked['kept'],
  ): void {
    const { iterations, usage, repeat } = counters;
    ask({
      step: iterations + 1,
      run: { workflowId: from.workflowId ?? run.workflowId, runId: from.runId },
      kept,
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

  function rewound(run: RunRef, point: RewindPoint, { id, at }: Fact): void {
    const { approved, allowance } = point.counters;
    standing.granted = { ...(approved && { approved }), ...(allowance && { allowance }) };
    standing.done = point.done;
    standing.results.clear();
    isRewinding = false;
    const said = standing.said.splice(0).map((text): Entry => ({ type: 'message', text }));
    const pending = [...point.pending, ...said];
    askFirst(run, { ...point, pending }, at, { ...run, until: id + 1 });
  }

  function counted(n: number): void {
    standing.lastN = Math.max(standing.lastN, n);
  }

  /** The retry of a run begins with the inputs and approvals that the calls of its turn had last. */
  function takeUp(step: number, turn: ModelTurn): void {
    const last = standing.asked.at(-1);
    if (last?.step === step) last.turn = turn;
    people.clear();
  }

  async function schedule(run: RunRef, fact: Extract<Fact, { type: 'scheduled' }>): Promise<void> {
    const id = parseActivityId(fact.workId);
    const isOurs = fact.name === EARLIER_EFFECTS;
    if (fact.of !== 'activity' || (id?.scope !== 0 && !isOurs)) return;
    const call = id?.call ?? '';
    counted(id?.n ?? 0);
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
      kept: { ...run, until: fact.id },
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
    people.clear();
  }

  async function succeeded(run: RunRef, fact: Extract<Fact, { type: 'succeeded' }>): Promise<void> {
    const { result } = fact;
    const found = scheduled.get(fact.key);
    if (found === undefined) return;
    const { name, activityId, call } = found;
    if (name === 'resolveAgent') {
      const manifest = asResolvedAgent(await result());
      if (manifest !== undefined) resolved(manifest);
    } else if (name === 'callModel') {
      const last = standing.asked.at(-1);
      const turn = asModelTurn(await result());
      if (last?.step === Number(call)) last.turn = turn;
    } else if (name === REWIND_POINT) {
      const point = asRewindPoint(await result());
      if (point !== undefined) rewound(run, point, fact);
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
