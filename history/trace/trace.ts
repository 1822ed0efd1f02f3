import { CALL_CHECKPOINT, CALL_INTENT } from '../../agent/calls/call-signals.ts';
import { parseActivityId, scopeOf, withoutSchedule } from '../../agent/calls/calls.ts';
import { isDropped } from '../../agent/calls/restart.ts';
import { foreignTurn, readModelTurn } from '../../agent/calls/model-turn.ts';
import { DEADLINE_SUMMARY, readSummary } from '../../agent/rules/waiting.ts';
import type { CallFact } from '../../agent/run/call-state.ts';
import type { RunEvent, TimelessEvent } from '../../agent/run/events.ts';
import { Run } from '../../agent/run/run.ts';
import type { OwnRead, RunFact } from '../../agent/run/run-fact.ts';
import { asRunInput } from '../../agent/run/run-input.ts';
import { runSignals } from '../../agent/run/run-signals.ts';
import { childUsedSignal, childWaitingSignal, pausedAboveSignal } from '../../workflows/messages.ts';
import type { Fact } from '../read/fact.ts';
import {
  asCallModelInput,
  asDecision,
  asDoneCalls,
  asResolvedAgent,
  asRewindPoint,
  asRunMessage,
  asRunResult,
} from '../read/records.ts';
import { calledIn, ownReads, rewindStep, scheduledCall } from '../read/scheduled-call.ts';
import { type Pending, type WorkEnded, endOf, scheduledInput, scheduledName } from './scheduled-work.ts';

/**
 * Turns the facts of a history into facts of a run, and these into events, one by one. Reads only the history, so no worker is needed.
 * `id`: workflow id.
 */
export function createTrace(id: string) {
  const run = new Run(id);
  const pending = new Map<string, Pending>();
  /** Calls by the timer that records their wait. */
  const waits = new Map<string, string>();
  let workflowId = id;

  return {
    run,
    read,
    next: async (fact: Fact): Promise<RunEvent[]> => (await read(fact)).events,
  };

  /** `of`: the fact of the run; undefined: the fact of the history changes nothing in the run. */
  async function read(fact: Fact): Promise<{ of: RunFact | undefined; events: RunEvent[] }> {
    const of = await decode(fact);
    const events = of === undefined ? eventsOf(fact) : run.next(of, fact.at);
    return { of, events: events.map((event) => ({ ...event, at: fact.at })) };
  }

  /** Returns undefined for a fact that changes nothing in a run. */
  async function decode(fact: Fact): Promise<RunFact | undefined> {
    switch (fact.type) {
      case 'started': {
        const { workflowType: workflow, runId } = fact;
        ({ workflowId } = fact);
        const input = asRunInput(await fact.input());
        waits.clear();
        if (input?.restart !== undefined) pending.clear();
        return { type: 'started', workflow, workflowId, runId, input };
      }
      case 'scheduled':
        return scheduled(fact);
      case 'begun': {
        const task = pending.get(fact.key);
        if (task) task.attempts = fact.attempt;
        return undefined;
      }
      case 'succeeded':
      case 'failed':
      case 'cancelled':
        return ended(fact);
      case 'timer_started':
        return timerStarted(fact.timer, await fact.summary());
      case 'timer_fired':
        return { type: 'timer_fired', timer: fact.timer, call: waits.get(fact.timer) };
      case 'timer_cancelled':
        return waitEnded(waits.get(fact.timer));
      case 'cancel_requested':
        return { type: 'cancel_requested' };
      case 'signaled':
        return signaled(fact.name, await fact.input());
      case 'update_completed':
        return updated(await fact.result?.(), await fact.input?.());
      case 'run_succeeded': {
        const value = await fact.result();
        return { type: 'succeeded', value, result: asRunResult(value) };
      }
      case 'run_failed':
        return { type: 'failed', error: await fact.error() };
      case 'run_cancelled':
        return { type: 'cancelled' };
      default:
        return undefined;
    }
  }

  function waitEnded(call: string | undefined): RunFact | undefined {
    const isBeside = call !== undefined && run.agents.haveBackground(scopeOf(call));
    return factOf(call, { type: 'wait_ended', isBeside });
  }

  /** Reads a completed update. The run has accepted the message or the decision; the result has the call of a decision. */
  function updated(result: unknown, sent: unknown): RunFact | undefined {
    const message = asRunMessage(result, sent);
    if (message !== undefined) return { type: 'message', message };
    const { call, decision, isKept } = asDecision(result, sent) ?? {};
    return decision && factOf(call, { type: isKept === true ? 'answered' : 'decided', decision });
  }

  async function scheduled(fact: Extract<Fact, { type: 'scheduled' }>): Promise<RunFact | undefined> {
    const found = scheduledCall(workflowId, fact);
    if (found === undefined) return undefined;
    const { call, scope, n } = found;
    const name = scheduledName(fact, run.calls.get(call)?.action.tool);
    const task = { name, call, atMs: fact.at, attempts: 0, closing: false, isModelCall: false };
    pending.set(fact.key, task);
    const reads = ownReads.get(name);
    if (reads !== undefined) return { type: 'read_scheduled', reads, scope, n, step: await rewindStep(fact) };
    const sent = await fact.input();
    if (name !== 'callModel') {
      const toolInput = scheduledInput(fact, sent);
      return { type: 'scheduled', call, n, tool: name, toolInput, cancels: fact.cancels };
    }
    const input = asCallModelInput(sent);
    task.closing = input?.closing === true;
    task.isModelCall = input !== undefined;
    return { type: 'model_scheduled', call, scope, n, input };
  }

  /** An activity or a sub-agent's run has ended. */
  async function ended(fact: WorkEnded): Promise<RunFact | undefined> {
    const task = pending.get(fact.key);
    if (task === undefined) return undefined;
    const { name, call, closing, isModelCall, attempts } = task;
    // A cancellation is only requested: a worker's activity has another event when it ends.
    if (fact.type === 'cancelled' && fact.requested && run.calls.get(call)?.tool?.external !== true)
      return undefined;
    pending.delete(fact.key);
    const reads = ownReads.get(name);
    if (reads !== undefined)
      return readEnded(reads, call, fact.type === 'succeeded' ? await fact.result() : undefined);
    const ms = fact.at - task.atMs;
    if (name !== 'callModel' || fact.type !== 'succeeded')
      return factOf(call, await endOf(fact, { attempts, ms }));
    const turn = readModelTurn(await fact.result());
    if (turn !== undefined) return { type: 'model_replied', call, turn, ms, closing };
    return isModelCall ? factOf(call, { type: 'failed', failed: foreignTurn, ms }) : undefined;
  }

  function readEnded(reads: OwnRead, call: string, result: unknown): RunFact | undefined {
    switch (reads) {
      case 'point': {
        const point = asRewindPoint(result);
        if (point === undefined) return undefined;
        // Background calls of kept steps are still under way.
        const step = point.counters.iterations + 1;
        for (const [key, task] of pending)
          if (isDropped(task.call, { step, again: undefined })) pending.delete(key);
        return { type: 'rewound', point };
      }
      case 'effects':
        return { type: 'effects_read', done: asDoneCalls(result) };
      case 'agent':
        return { type: 'resolved', scope: scopeOf(call), agent: asResolvedAgent(result) };
    }
  }

  function timerStarted(timer: string, summary: unknown): RunFact | undefined {
    if (summary === DEADLINE_SUMMARY) return { type: 'deadline_started', timer };
    const wait = readSummary(summary);
    if (wait === undefined) return undefined;
    waits.set(timer, wait.call);
    return { type: 'wait_started', wait };
  }
}

/** Events of facts that a run does not know of. */
function eventsOf(fact: Fact): TimelessEvent[] {
  if (fact.type !== 'paused_in_temporal' && fact.type !== 'unpaused_in_temporal') return [];
  return [{ type: fact.type, by: fact.identity || undefined, reason: fact.reason || undefined }];
}

function signaled(name: string, input: unknown): RunFact | undefined {
  switch (name) {
    case pausedAboveSignal.name: {
      const isPaused = runSignals.pausedAbove(input);
      return isPaused === undefined ? undefined : { type: 'paused_above', isPaused };
    }
    case CALL_INTENT: {
      const { activityId, intent } = runSignals[CALL_INTENT](input) ?? {};
      return intent && ofWorker(activityId, (n) => ({ type: 'intended', n, intent }));
    }
    case CALL_CHECKPOINT: {
      const { activityId, checkpoint } = runSignals[CALL_CHECKPOINT](input) ?? {};
      if (checkpoint === undefined) return undefined;
      return ofWorker(activityId, (n) => ({ type: 'checkpoint', n, checkpoint }));
    }
    case childUsedSignal.name: {
      const { caller = '', usage } = runSignals.childUsed(input) ?? {};
      return usage && factOf(withoutSchedule(caller), { type: 'child_used', usage });
    }
    case childWaitingSignal.name: {
      const change = runSignals.childWaiting(input);
      return change && factOf(withoutSchedule(change.caller), { type: 'child_waits_changed', change });
    }
    default:
      return undefined;
  }
}

/** Fact that a worker signals about the call of an activity. */
function ofWorker(activityId = '', fact: (n: number) => CallFact): RunFact {
  const { scope = 0, call = '', n = 0 } = parseActivityId(activityId) ?? {};
  return { type: 'call', call: calledIn(scope, call), fact: fact(n) };
}

function factOf(call: string | undefined, fact: CallFact): RunFact | undefined {
  return call === undefined ? undefined : { type: 'call', call, fact };
}
