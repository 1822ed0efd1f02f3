import { CALL_INTENT, type CallIntent, type ModelTurn, scopeOf, withoutCalls } from '../agent/calls.ts';
import type { RunEvent, TimelessEvent } from '../agent/events.ts';
import { located } from '../agent/image-refs.ts';
import type { AgentManifest } from '../agent/manifest.ts';
import { askTimeoutOf } from '../agent/rules/ask-timeout.ts';
import { type DoneCall, EARLIER_EFFECTS } from '../agent/restart.ts';
import { type ErrorInfo, addUsage, noUsage } from '../agent/vocabulary.ts';
import { childWaitingSignal, pausedAboveSignal } from '../workflows/messages.ts';
import { type Spent, finished, unfinished } from './emitted.ts';
import type { Fact } from './fact.ts';
import { createRunTimers } from './run-timers.ts';
import {
  asCallModelInput,
  asChildWaiting,
  asDecision,
  asDoneCalls,
  asModelTurn,
  asResolvedAgent,
  asRunInput,
  asRunMessage,
} from './records.ts';
import { createSuccessions } from './traced-succession.ts';
import { begunAgain } from './traced-restart.ts';
import { scheduledInput, scheduledName } from './scheduled-tool.ts';
import { traceSteering } from './traced-steering.ts';
import {
  type Pending,
  type TracedCall,
  decided,
  extended,
  leftUnanswered,
  newCall,
  plannedCalls,
  scheduledCall,
  settleByRules,
  settleRecorded,
  waitingCall,
  waits,
} from './traced-calls.ts';
import { intended, isReconciling, reconciled, usageOf } from './traced-doubt.ts';
import { toolEnded } from './traced-tool-end.ts';
import { createWaitsWithin } from './waits-within.ts';

/** Turns the facts of a history into run events, one by one. Nothing but history is read: no worker need be alive. */
export interface Trace {
  next(fact: Fact): Promise<RunEvent[]>;
  /** Used up so far. */
  spent(): Spent;
}

/** `id`: of the workflow. */
export function createTrace(id: string): Trace {
  const calls = new Map<string, TracedCall>();
  const pending = new Map<string, Pending>();
  const manifests = new Map<number, AgentManifest>();
  const within = createWaitsWithin();
  const timers = createRunTimers();
  const steering = traceSteering(timers);
  const successions = createSuccessions();
  const spent: Spent = { iterations: 0, usage: noUsage };
  let workflowId = id;
  let runId = '';
  let isBegun = false;
  let lastLog = '';
  let done: readonly DoneCall[] = [];
  /** The run as a whole is being cancelled. */
  let ending = false;

  return {
    async next(fact) {
      const events: TimelessEvent[] = [];
      for (const meant of await successions.next(fact)) events.push(...(await read(meant)));
      return events.map((item) => ({ ...item, at: fact.at }));
    },
    spent: () => ({ ...spent }),
  };

  async function read(fact: Fact): Promise<TimelessEvent[]> {
    switch (fact.type) {
      case 'started':
        ({ workflowId, runId } = fact);
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
        return signaled(fact.name, await fact.input());
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
    done = run?.done ?? [];
    timers.clear();
    const told = settleRecorded(calls, 0, run?.pending ?? []);
    // What came before is known from here where its own record is gone.
    if (run?.counters !== undefined)
      Object.assign(spent, { iterations: run.counters.iterations, usage: run.counters.usage });
    const again: TimelessEvent[] = begunAgain(run, { id: workflowId, runId }, calls);
    if (again.length > 0) {
      // Nothing of the run before is under way any more.
      ending = false;
      pending.clear();
      within.clear();
      again.push(...steering.restarted(run?.said ?? []));
    }
    if (isBegun && again.length > 0) return [...told, ...again];
    if (run?.from !== undefined && run.question === undefined && calls.size > 0) {
      return [...told, { type: 'continued', runId }];
    }
    isBegun = true;
    const { agent = '', question } = run ?? {};
    const asked = located(question?.input ?? '', { workflowId, runId });
    return [...told, { type: 'run_started', id, runId, agent, input: asked }, ...again];
  }

  async function schedule(fact: Extract<Fact, { type: 'scheduled' }>): Promise<TimelessEvent[]> {
    const scheduled = scheduledCall(workflowId, fact);
    if (scheduled === undefined) return [];
    const { call, scope, n } = scheduled;
    const known = calls.get(call);
    const name = scheduledName(fact, known?.action.tool);
    const task = { name, call, n, atMs: fact.at, attempts: 0, closing: false, reconciles: false };
    pending.set(fact.key, task);
    if (name === 'resolveAgent' || name === EARLIER_EFFECTS) return [];
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
    if (task.name === 'resolveAgent' || task.name === EARLIER_EFFECTS) {
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
    const state = { isLegacy: isLegacy(), isOverdue: timers.isOverdue, ending };
    const { events, usage } = await toolEnded(call, task, fact, state);
    spent.usage = addUsage(spent.usage, usage);
    if (call.waitsFor !== undefined) timers.putOff();
    return [...(isLegacy() ? [] : within.over(task.call)), ...events];
  }

  function resolved({ name, call }: Pending, result: unknown): void {
    if (name === EARLIER_EFFECTS) done = [...done, ...asDoneCalls(result)];
    const manifest = asResolvedAgent(result)?.manifest;
    // What is pinned stays: a fork with another model takes no more than that from the config.
    if (manifest !== undefined && !manifests.has(scopeOf(call))) manifests.set(scopeOf(call), manifest);
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
      turn: withoutCalls(turn),
      attempts,
      durationMs,
      closing: closing || undefined,
    } as const;
    if (decision.type === 'finish') lastLog = decision.log ?? text;
    if (decision.type !== 'act') return [reply];
    const tools = manifests.get(scopeOf(call))?.tools ?? [];
    return [reply, ...plannedCalls(calls, call, { text, actions: decision.actions }, tools)];
  }

  function modelFailed({ call, n, attempts }: Pending, error: ErrorInfo): TimelessEvent[] {
    const traced = newCall(call, { tool: 'callModel', toolInput: null, log: '' }, undefined);
    calls.set(call, { ...traced, waits: n, unsettled: { type: 'failed', error } });
    return [{ type: 'model_failed', call, error, attempts }];
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
    return [...over, ...waits(call, wait.reason, done)];
  }

  function timerFired(timer: string): TimelessEvent[] {
    const fired = timers.fired(timer);
    const call = calls.get(fired?.call ?? '');
    const manifest = manifests.get(scopeOf(call?.id ?? ''));
    const timeout = manifest && askTimeoutOf(manifest, call?.tool);
    return call === undefined || timeout === undefined ? [] : leftUnanswered(call, timeout);
  }

  function signaled(name: string, input: unknown): TimelessEvent[] {
    if (name === pausedAboveSignal.name) return steering.pausedAbove(input);
    if (name === CALL_INTENT) intended(calls, input as CallIntent); // our runner sends it
    const waiting = name === childWaitingSignal.name ? asChildWaiting(input) : undefined;
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
