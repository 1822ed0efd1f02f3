import type { ModelTurn } from '../agent/calls.ts';
import type { RunEvent, TimelessEvent } from '../agent/events.ts';
import type { AgentManifest } from '../agent/manifest.ts';
import { askTimeoutOf } from '../agent/rules/ask-timeout.ts';
import { resultEnd, toldByTool } from '../agent/rules/call-rules.ts';
import { type ErrorInfo, addUsage, noUsage } from '../agent/vocabulary.ts';
import { type ChildWaiting, childWaitingSignal, pausedAboveSignal } from '../workflows/messages.ts';
import { type Spent, finished, unfinished } from './emitted.ts';
import type { Fact } from './facts.ts';
import { createRunTimers } from './run-timers.ts';
import {
  asCallModelInput,
  asChildWaiting,
  asDecision,
  asModelTurn,
  asResolvedAgent,
  asRunInput,
  asRunMessage,
} from './records.ts';
import { scheduledInput, scheduledName } from './scheduled-tool.ts';
import { traceSteering } from './traced-steering.ts';
import {
  type Pending,
  type TracedCall,
  decided,
  extended,
  leftUnanswered,
  newCall,
  plannedTurn,
  scheduledCall,
  scopeOf,
  settleByRule,
  settleByRules,
  settleRecorded,
  step,
  unrecorded,
  waitingCall,
  waits,
} from './traced-calls.ts';
import { failedOnce, isReconciling, reconciled, usageOf } from './traced-doubt.ts';
import { createWaitsWithin } from './waits-within.ts';

/** Turns the facts of a history into run events, one by one. Nothing but history is read: no worker need be alive. */
export interface Trace {
  next(fact: Fact): Promise<RunEvent[]>;
}

/** `id`: of the workflow. */
export function createTrace(id: string): Trace {
  const calls = new Map<string, TracedCall>();
  const pending = new Map<string, Pending>();
  const manifests = new Map<number, AgentManifest>();
  const within = createWaitsWithin();
  const timers = createRunTimers();
  const steering = traceSteering(timers);
  const spent: Spent = { iterations: 0, usage: noUsage };
  let runId = '';
  let lastLog = '';
  /** The run as a whole is being cancelled. */
  let ending = false;

  return {
    async next(fact) {
      return (await read(fact)).map((item) => ({ ...item, at: fact.at }));
    },
  };

  async function read(fact: Fact): Promise<TimelessEvent[]> {
    switch (fact.type) {
      case 'started':
        runId = fact.runId;
        return begin(await fact.input());
      case 'scheduled':
        return schedule(fact);
      case 'begun': {
        const task = pending.get(fact.key);
        if (task) task.attempts = fact.attempt;
        return [];
      }
      case 'succeeded':
      case 'failed':
      case 'cancelled':
        return ended(fact);
      case 'timer_started':
        return timerStarted(fact.timer, await fact.summary());
      case 'timer_fired':
        return timerFired(fact.timer);
      case 'cancel_requested':
        ending = true;
        return [];
      case 'signaled':
        if (fact.name === pausedAboveSignal.name) return steering.pausedAbove(await fact.input());
        return fact.name === childWaitingSignal.name ? childWaiting(asChildWaiting(await fact.input())) : [];
      case 'update_completed':
        return updated(await fact.result?.(), await fact.input?.());
      case 'run_succeeded':
        return [...settleAll(), ...finished(await fact.result(), lastLog)];
      case 'run_failed':
        ending = true;
        return [...settleAll(), unfinished('failed', await fact.error(), spent)];
      case 'run_cancelled':
        return [...settleAll(), unfinished('cancelled', null, spent)];
      default:
        return [];
    }
  }

  /** The update has completed, so the run has accepted what was sent, and the result names the call that a decision was for. */
  function updated(result: unknown, sent: unknown): TimelessEvent[] {
    const message = asRunMessage(result, sent);
    if (message?.type === 'extend') calls.forEach(extended);
    if (message !== undefined) return steering.said(message);
    const made = asDecision(result, sent);
    const call = calls.get(made?.call ?? '');
    return made === undefined || call === undefined ? [] : decided(call, made.decision);
  }

  function begin(input: unknown): TimelessEvent[] {
    const run = asRunInput(input);
    if (run?.manifest !== undefined) manifests.set(0, run.manifest);
    timers.clear();
    const told = settleRecorded(calls, 0, run?.pending ?? []);
    // What came before is known from here where its own record is gone.
    if (run?.counters !== undefined)
      Object.assign(spent, { iterations: run.counters.iterations, usage: run.counters.usage });
    if (run?.from !== undefined && run.question === undefined && calls.size > 0) {
      return [...told, { type: 'continued', runId }];
    }
    const agent = run?.agent ?? '';
    return [...told, { type: 'run_started', id, runId, agent, input: run?.question?.input ?? '' }];
  }

  async function schedule(fact: Extract<Fact, { type: 'scheduled' }>): Promise<TimelessEvent[]> {
    const scheduled = scheduledCall(id, fact);
    if (scheduled === undefined) return [];
    const { call, scope, n } = scheduled;
    const known = calls.get(call);
    const name = scheduledName(fact, known?.action.tool);
    const task = { name, call, n, atMs: fact.at, attempts: 0, closing: false, reconciles: false };
    pending.set(fact.key, task);
    if (name === 'resolveAgent') return [];
    const input = await fact.input();
    if (name === 'callModel') {
      const asked = asCallModelInput(input);
      task.closing = asked?.closing === true;
      if (asked !== undefined) steering.carried(scope, asked);
      return [...settleRecorded(calls, scope, asked?.delta ?? []), { type: 'model_started', call }];
    }
    if (known !== undefined && isReconciling(known)) {
      task.reconciles = true;
      return [];
    }
    const toolInput = scheduledInput(fact, input);
    if (known) known.action = { ...known.action, toolInput };
    return [{ type: 'tool_started', call, tool: name, toolInput }];
  }

  /** An activity or a sub-agent's run has come to an end of some kind. */
  async function ended(
    fact: Extract<Fact, { type: 'succeeded' | 'failed' | 'cancelled' }>,
  ): Promise<TimelessEvent[]> {
    const task = pending.get(fact.key);
    if (task === undefined) return [];
    const call = calls.get(task.call);
    // Our own activities are waited for when they are cancelled.
    if (fact.type === 'cancelled' && fact.requested && call?.tool?.external !== true) return [];
    pending.delete(fact.key);
    const durationMs = fact.at - task.atMs;
    if (task.name === 'resolveAgent') {
      if (fact.type === 'succeeded') resolved(task, await fact.result());
      return [];
    }
    if (task.name === 'callModel') {
      if (fact.type === 'succeeded') return replied(task, asModelTurn(await fact.result()), durationMs);
      return fact.type === 'failed' ? modelFailed(task, await fact.error()) : [];
    }
    if (call === undefined) return [];
    if (task.reconciles) {
      const said = fact.type === 'succeeded' ? await fact.result() : undefined;
      spent.usage = addUsage(spent.usage, usageOf(said));
      return reconciled(call, said);
    }
    call.attempts += task.attempts;
    call.durationMs += durationMs;
    return [...(isLegacy() ? [] : within.over(task.call)), ...(await toolEnded(call, task, fact))];
  }

  function resolved({ call }: Pending, result: unknown): void {
    const manifest = asResolvedAgent(result)?.manifest;
    if (manifest !== undefined) manifests.set(scopeOf(call), manifest);
  }

  function replied(task: Pending, turn: ModelTurn | undefined, durationMs: number): TimelessEvent[] {
    if (turn === undefined) return [];
    const { call, attempts, closing } = task;
    calls.delete(call);
    if (!closing) spent.iterations++;
    spent.usage = addUsage(spent.usage, turn.usage);
    const { decision, text } = turn;
    const reply = {
      type: 'model_ended',
      call,
      turn,
      attempts,
      durationMs,
      closing: closing || undefined,
    } as const;
    if (decision.type === 'finish') lastLog = decision.log ?? text;
    if (decision.type !== 'act') return [reply];
    const actions = plannedTurn(calls, call, turn, manifests.get(scopeOf(call))?.tools ?? []);
    return [reply, ...actions];
  }

  function modelFailed({ call, n, attempts }: Pending, error: ErrorInfo): TimelessEvent[] {
    const traced = newCall(call, { tool: 'callModel', toolInput: null, log: '' }, undefined);
    calls.set(call, { ...traced, waits: n, unsettled: { type: 'failed', error } });
    return [{ type: 'model_failed', call, error, attempts }];
  }

  async function toolEnded(
    call: TracedCall,
    { attempts }: Pending,
    fact: Extract<Fact, { type: 'succeeded' | 'failed' | 'cancelled' }>,
  ): Promise<TimelessEvent[]> {
    const { id: called, tool } = call;
    if (tool === undefined) return [];
    if (fact.type === 'failed') {
      spent.usage = addUsage(spent.usage, (await fact.failure?.())?.usage ?? noUsage);
    }
    if (fact.type !== 'succeeded' && tool.effects === 'once') return failedOnce(call, fact, attempts);
    if (fact.type === 'cancelled') {
      call.unsettled = { type: 'cancelled' };
      return isLegacy() ? settleByRule(call, timers.isOverdue, ending) : [];
    }
    const end =
      fact.type === 'failed'
        ? ({ type: 'failed', error: await fact.error() } as const)
        : resultEnd(tool, await fact.result(), call.byPerson && !isLegacy());
    if (end.type === 'end') {
      spent.usage = addUsage(spent.usage, end.end.usage ?? noUsage);
      return step(call, end.end.observation);
    }
    if (end.type === 'deferred') {
      spent.usage = addUsage(spent.usage, end.usage ?? noUsage);
      call.unsettled = { type: 'deferred', note: end.note };
      return [];
    }
    const { error } = end;
    if (toldByTool(tool, error)) return step(call, error.message);
    call.unsettled = { type: 'failed', error };
    const failure: TimelessEvent = { type: 'tool_failed', call: called, error, attempts };
    if (!isLegacy()) return [failure];
    const told = unrecorded(call, error, timers.isOverdue);
    if (call.waitsFor !== undefined) timers.putOff();
    return [failure, ...told];
  }

  function timerStarted(timer: string, summary: unknown): TimelessEvent[] {
    const wait = timers.started(timer, summary, isLegacy());
    const call = wait && waitingCall(calls, wait);
    if (wait === undefined || call === undefined || !call.isOpen) return [];
    // The timer of a wait without an end is set anew when it is over.
    if (call.waitsFor !== undefined) return [];
    // The turn before a limit is over, and no model call says what became of its calls.
    const over =
      wait.reason === 'limit' ? settleByRules(calls, timers.isOverdue, ending, scopeOf(call.id)) : [];
    timers.putOff();
    return [...over, ...waits(call, wait.reason)];
  }

  function timerFired(timer: string): TimelessEvent[] {
    const fired = timers.fired(timer);
    const call = calls.get(fired?.call ?? '');
    const manifest = manifests.get(scopeOf(call?.id ?? ''));
    const timeout = manifest && askTimeoutOf(manifest, call?.tool);
    return call === undefined || timeout === undefined ? [] : leftUnanswered(call, timeout);
  }

  function childWaiting(waiting: ChildWaiting | undefined): TimelessEvent[] {
    if (waiting === undefined) return [];
    if (waiting.parks.length > 0) timers.putOff();
    return within.told(waiting);
  }

  function settleAll(): TimelessEvent[] {
    return [...settleByRules(calls, timers.isOverdue, ending), ...steering.unheard()];
  }

  /** Runs that recorded neither waits nor the purpose of their timers. */
  function isLegacy(): boolean {
    return [...manifests.values()].some(({ loopVersion }) => loopVersion < 3);
  }
}
