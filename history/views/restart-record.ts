import type { Client } from '@temporalio/client';
import { activityId, scopeOf } from '../../agent/calls/calls.ts';
import { lastOfEach } from '../../agent/calls/restart.ts';
import type { RunMessage } from '../../agent/rules/run-messages.ts';
import type { RunFact as Of } from '../../agent/run/run-fact.ts';
import type { AgentRunInput, RestartPoint } from '../../agent/run/run-input.ts';
import { qualifyMediaRefs } from '../../agent/start/media-refs.ts';
import type { Entry } from '../../agent/transcript/entries.ts';
import type { Fact } from '../read/fact.ts';
import { type RunFact, isRunEnd, readRunFacts } from '../read/lineage.ts';
import type { RunRef } from '../read/pages.ts';
import { createTrace } from '../trace/trace.ts';
import { giveAgents, keepAsFork } from './kept-steps.ts';
import { type RecordedModelCall, type RestartRecord, addModelCall } from './restart-point.ts';
import { BUDGET_USED_UP } from '../../agent/budgets/budget-rule.ts';
import { RecentUpdates } from './update-receipts.ts';

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
  const trace = createTrace(workflowId);
  const { run: state } = trace;
  const modelCalls: RecordedModelCall[] = [];
  const results: RestartRecord['results'] = new Map();
  let input: RestartRecord['input'] = { agent: '', root: '' };
  let latestAt = 0;
  let isFirst = true;
  let isWhole = false;
  let isRewinding = false;
  let fitsInBudget = true;
  let budgetStopped: true | undefined;
  let model: string | undefined;

  return {
    async next({ run, fact }: RunFact): Promise<void> {
      const isUnknown = state.agents.get(0) === undefined;
      const { of } = await trace.read(fact);
      if (of !== undefined) read(run, fact, of);
      // The first resolution says what the run's worker and its server can do.
      if (isUnknown && of?.type === 'resolved' && of.agent !== undefined) {
        const { searchAttributes, events, trace: place } = of.agent;
        Object.assign(input, { searchAttributes, events, trace: place });
      }
      if (!isRunEnd(fact)) latestAt = fact.at;
    },
    result(): Omit<RestartRecord, 'takenWords'> {
      const { spent, granted, done, lastN, unheard } = state.kept;
      return {
        input,
        manifest: state.agents.get(0),
        model,
        agents: state.agents.named,
        modelCalls,
        calls: state.calls,
        results,
        done: lastOfEach(done),
        granted,
        lastN,
        undelivered: nextModelCall() === undefined ? [...unheard] : [],
        spent,
        elapsedMs: state.elapsedMs(latestAt),
        isWhole,
        budgetStopped,
      };
    },
  };

  function read(run: RunRef, fact: Fact, of: Of): void {
    switch (of.type) {
      case 'started':
        if (fact.type === 'started' && of.input !== undefined)
          readStart(run, fact.firstRunId, fact.at, of.input);
        return;
      case 'resolved':
        return readAgent(of);
      case 'model_scheduled':
        return readModelCall(run, fact, of);
      case 'model_replied': {
        const last = modelCalls.at(-1);
        fitsInBudget = true;
        if (last?.step === Number(of.call)) last.turn = of.turn;
        return;
      }
      case 'call':
        if (of.fact.type === 'failed' && state.calls.get(of.call)?.kind === 'model')
          fitsInBudget = of.fact.failed.error.type !== BUDGET_USED_UP;
        return readResult(run, fact, of.call);
      case 'message':
        return readMessage(of.message);
      case 'succeeded':
        budgetStopped = (of.result?.stopReason === 'budget' && !fitsInBudget) || undefined;
        return;
      case 'rewound':
        results.clear();
        return addFirstModelCall(run, of.point, fact.at, { ...run, until: fact.id + 1 });
      default:
    }
  }

  function readStart(run: RunRef, firstRunId: string, at: number, start: AgentRunInput): void {
    const {
      agent,
      question,
      session,
      overrides,
      caller,
      searchAttributes,
      events,
      trace: place,
      root,
    } = start;
    const { from, pending = [], counters, restart } = start;
    const before = input;
    const { parentBudget, insteadOf } = question === undefined ? before : start;
    if (isFirst) isWhole = from === undefined || from.entries !== undefined;
    isFirst = false;
    input = {
      agent,
      session,
      caller,
      parentBudget,
      insteadOf,
      question: question ? { ...question, input: qualifyMediaRefs(question.input, run) } : before.question,
      overrides: question === undefined ? before.overrides : overrides,
      searchAttributes: searchAttributes ?? before.searchAttributes,
      events: events ?? before.events,
      trace: place ?? before.trace,
      root: root ?? firstRunId,
    };
    model = from === undefined ? undefined : start.overrides?.model;
    if (restart?.from.workflowId !== undefined) keepAsFork(modelCalls, state.agents);
    const last = modelCalls.at(-1);
    // A retried run starts with the model's turn of that step, whose calls have their latest inputs and approvals.
    if (restart?.turn !== undefined && last?.step === restart.step) {
      last.turn = restart.turn.turn;
      last.added = pending;
    }
    if (from === undefined || counters === undefined || restart?.turn !== undefined) return;
    const kept = restart?.from ?? from;
    addFirstModelCall(run, { from, pending, counters }, at, {
      ...kept,
      workflowId: kept.workflowId ?? run.workflowId,
    });
  }

  /** The first definition that a fork with another model resolves has the model. */
  function readAgent({ scope, agent }: Extract<Of, { type: 'resolved' }>): void {
    if (scope !== 0 || agent === undefined || model === undefined) return;
    model = undefined;
    giveAgents(modelCalls, state.agents);
  }

  /** Adds the first model call of a run that starts with kept steps, or that has rewound itself. */
  function addFirstModelCall(
    run: RunRef,
    { from, pending, counters }: Pick<RestartPoint, 'from' | 'pending' | 'counters'>,
    at: number,
    kept: RecordedModelCall['kept'],
  ): void {
    const { iterations, repeat, size } = counters;
    const delta = [...pending, ...state.kept.unheard.map(messageEntry)];
    isRewinding = false;
    addModelCall(modelCalls, {
      ...stateAt(at),
      step: iterations + 1,
      run: { workflowId: from.workflowId ?? run.workflowId, runId: from.runId },
      kept,
      before: { length: from.length, digest: from.digest },
      delta,
      carried: delta,
      repeat,
      size,
      isScheduled: false,
    });
  }

  /** Returns the model call that is not scheduled yet: it carries what is said now. */
  function nextModelCall(): RecordedModelCall | undefined {
    const last = modelCalls.at(-1);
    return last?.isScheduled === false && !isRewinding ? last : undefined;
  }

  function readMessage(message: RunMessage): void {
    if (message.type === 'rewind') isRewinding = true;
    const next = nextModelCall();
    if (next === undefined) return;
    next.granted = state.kept.granted;
    if (message.type === 'say') next.delta = next.carried = [...next.delta, messageEntry(message.text)];
  }

  function readModelCall(run: RunRef, fact: Fact, of: Extract<Of, { type: 'model_scheduled' }>): void {
    if (of.scope !== 0 || of.input === undefined) return;
    const { base, prev, delta, repeat, size, compact } = of.input;
    if (compact === true) return; // the next call carries the entries
    const last = modelCalls.at(-1);
    const step = Number(of.call);
    if (last?.step === step && last.isScheduled && of.n > 0) {
      last.carried = delta;
      return;
    }
    results.clear();
    addModelCall(modelCalls, {
      ...stateAt(fact.at),
      step,
      run,
      kept: { ...run, until: fact.id },
      before: { length: base, digest: prev },
      delta,
      carried: delta,
      repeat,
      size,
      isScheduled: true,
    });
  }

  /** State of the run before a model call. */
  function stateAt(at: number) {
    const { granted, spent } = state.kept;
    return {
      manifest: state.agents.get(0),
      granted,
      spent,
      elapsedMs: state.elapsedMs(at),
      turn: undefined,
    };
  }

  function readResult(run: RunRef, fact: Fact, call: string): void {
    const n = state.calls.get(call)?.n;
    if (fact.type !== 'succeeded' || fact.of !== 'activity' || n === undefined || scopeOf(call) !== 0) return;
    results.set(call, { run, activityId: activityId(0, call, n), result: fact.result });
  }
}

function messageEntry(text: string): Entry {
  return { type: 'message', text };
}
