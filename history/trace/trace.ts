import { CALL_INTENT, type ModelTurn, scopeOf } from '../../agent/calls/calls.ts';
import type { RunEvent, TimelessEvent } from '../../agent/run/events.ts';
import { qualifyImageRefs } from '../../agent/start/image-refs.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import { askTimeoutOf, needsPerson } from '../../agent/rules/waiting.ts';
import { type DoneCall, EARLIER_EFFECTS } from '../../agent/calls/restart.ts';
import { REWIND_POINT, type RewindPoint } from '../../agent/run/rewind-point.ts';
import { runSignals } from '../../agent/run/run-signals.ts';
import { addUsage, noUsage } from '../../agent/values/vocabulary.ts';
import { childUsedSignal, childWaitingSignal, pausedAboveSignal } from '../../workflows/messages.ts';
import { type Spent, finished, unfinished } from './emitted.ts';
import type { Fact } from '../read/fact.ts';
import { createRunTimers } from './run-timers.ts';
import { scheduledCall } from '../read/scheduled-call.ts';
import {
  asCallModelInput,
  asDecision,
  asDoneCalls,
  asModelTurn,
  asRewindPoint,
  asResolvedAgent,
  asRunInput,
  asRunMessage,
} from '../read/records.ts';
import { begunAgain, rewound } from './traced-restart.ts';
import { scheduledInput, scheduledName } from './scheduled-tool.ts';
import { traceSteering } from './traced-steering.ts';
import {
  type Pending,
  type TracedCall,
  answeredEarly,
  decided,
  extended,
  leftUnanswered,
  modelEnded,
  modelFailed,
  plannedCalls,
  waitingCall,
  waits,
} from './traced-calls.ts';
import { settleByRules, settleRecorded } from './traced-ends.ts';
import { intended, isReconciling, lostAttemptOver, reconciled, usageOf } from './traced-doubt.ts';
import { toolEnded, usedBySubAgent } from './traced-tool-end.ts';
import { createWaitsWithin } from './waits-within.ts';

/** Turns the facts of a history into run events, one by one. Nothing but history is read: no worker need be alive. */
export interface Trace {
  next(fact: Fact): Promise<RunEvent[]>;
  /** Used up so far. */
  spent(): Spent;
}

/** Activities that are no step of a run. */
const OURS = new Set(['resolveAgent', EARLIER_EFFECTS, REWIND_POINT]);

/** `id`: of the workflow. */
export function createTrace(id: string): Trace {
  const calls = new Map<string, TracedCall>();
  const pending = new Map<string, Pending>();
  const manifests = new Map<number, AgentManifest>();
  const within = createWaitsWithin();
  const timers = createRunTimers();
  const steering = traceSteering(timers);
  const spent: Spent = { iterations: 0, usage: noUsage };
  let workflowId = id;
  let runId = '';
  let isBegun = false;
  let lastLog = '';
  let done: readonly DoneCall[] = [];
  let firstN = 0;
  /** The run as a whole is being cancelled, or all that is under way in it for a rewind. */
  let ending = false;
  let rewinding = false;

  return {
    async next(fact) {
      return (await read(fact)).map((item) => ({ ...item, at: fact.at }));
    },
    spent: () => ({ ...spent }),
  };

  async function read(fact: Fact): Promise<TimelessEvent[]> {
    switch (fact.type) {
      case 'started':
        ({ workflowId, runId } = fact);
        return begin(await fact.input(), fact.workflowType);
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
      case 'timer_cancelled':
        return lostAttemptOver(calls.get(timers.cancelled(fact.timer)?.call ?? ''));
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
    if (message?.type === 'rewind') ending = rewinding = true;
    if (message !== undefined) return steering.said(message);
    const made = asDecision(result, sent);
    const call = calls.get(made?.call ?? '');
    if (made === undefined || call === undefined) return [];
    return made.isKept ? answeredEarly(call, made.decision) : decided(call, made.decision);
  }

  function begin(input: unknown, workflow: string): TimelessEvent[] {
    const run = asRunInput(input);
    if (run?.manifest !== undefined) manifests.set(0, run.manifest);
    done = run?.done ?? [];
    firstN = run?.firstN ?? 0;
    timers.clear();
    const told = settleRecorded(calls, 0, run?.pending ?? []);
    // What came before is known from here where its own record is gone.
    if (run?.counters !== undefined)
      Object.assign(spent, { iterations: run.counters.iterations, usage: run.counters.usage });
    const kept = run?.restart?.turn?.ends.map(({ entry }) => entry) ?? [];
    told.push(...settleRecorded(calls, 0, kept));
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
    const asked = qualifyImageRefs(question?.input ?? '', { workflowId, runId });
    const own = run === undefined ? { workflow } : {};
    return [...told, { type: 'run_started', id, runId, agent, input: asked, ...own }, ...again];
  }

  async function schedule(fact: Extract<Fact, { type: 'scheduled' }>): Promise<TimelessEvent[]> {
    const scheduled = scheduledCall(workflowId, fact);
    if (scheduled === undefined) return [];
    const { call, scope, n } = scheduled;
    const known = calls.get(call);
    const name = scheduledName(fact, known?.action.tool);
    const task = { name, call, n, atMs: fact.at, attempts: 0, closing: false, reconciles: false };
    pending.set(fact.key, task);
    if (OURS.has(name)) return [];
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
    if (OURS.has(task.name)) {
      const result = fact.type === 'succeeded' ? await fact.result() : undefined;
      if (task.name === REWIND_POINT) return rewoundTo(asRewindPoint(result));
      resolved(task, result);
      return [];
    }
    if (task.name === 'callModel') {
      if (fact.type === 'succeeded') return replied(task, asModelTurn(await fact.result()), durationMs);
      return fact.type === 'failed' ? modelFailed(calls, task, await fact.error()) : [];
    }
    if (call === undefined) return [];
    if (task.reconciles) {
      const said = fact.type === 'succeeded' ? await fact.result() : undefined;
      spent.usage = addUsage(spent.usage, usageOf(said));
      return reconciled(call, said, fact.type === 'failed' ? await fact.error() : undefined);
    }
    call.attempts += task.attempts;
    call.durationMs += durationMs;
    const { events, usage } = await toolEnded(call, task, fact);
    spent.usage = addUsage(spent.usage, usage);
    if (call.waitsFor !== undefined) timers.putOff();
    return [...within.over(task.call), ...events];
  }

  function resolved({ name, call }: Pending, result: unknown): void {
    if (name === EARLIER_EFFECTS) done = [...done, ...asDoneCalls(result)];
    const manifest = asResolvedAgent(result)?.manifest;
    // What is pinned stays: a fork with another model takes no more than that from the config.
    if (manifest !== undefined && !manifests.has(scopeOf(call))) manifests.set(scopeOf(call), manifest);
  }

  /** Nothing of the dropped steps is under way any more. */
  function rewoundTo(point: RewindPoint | undefined): TimelessEvent[] {
    if (point === undefined) return [];
    const told = settleByRules(calls, timers.isOverdue, ending);
    ({ done, firstN } = point);
    const { iterations, usage } = point.counters;
    Object.assign(spent, { iterations, usage });
    ending = rewinding = false;
    pending.clear();
    within.clear();
    timers.extended();
    steering.rewound();
    return [...told, rewound(point, { id: workflowId, runId }, calls)];
  }

  function replied(task: Pending, turn: ModelTurn | undefined, durationMs: number): TimelessEvent[] {
    if (turn === undefined) return [];
    const { call, closing } = task;
    calls.delete(call);
    if (!closing) spent.iterations++;
    spent.usage = addUsage(spent.usage, turn.usage);
    const { decision, text } = turn;
    if (decision.type === 'finish') lastLog = decision.log ?? text;
    const tools = manifests.get(scopeOf(call))?.tools ?? [];
    const reply = modelEnded(task, turn, durationMs);
    return rewinding ? [reply] : [reply, ...plannedCalls(calls, call, turn, { tools, firstN })];
  }

  function timerStarted(timer: string, summary: unknown): TimelessEvent[] {
    const wait = timers.started(timer, summary);
    const call = wait && waitingCall(calls, wait, firstN);
    if (wait === undefined || call === undefined || !call.isOpen) return [];
    // The timer of a wait without an end is set anew when it is over.
    if (call.waitsFor !== undefined) return [];
    // The turn before a limit is over, and no model call says what became of its calls.
    const over =
      wait.reason === 'limit' ? settleByRules(calls, timers.isOverdue, ending, scopeOf(call.id)) : [];
    if (needsPerson(wait)) timers.putOff();
    return [...over, ...waits(call, wait, done)];
  }

  function timerFired(timer: string): TimelessEvent[] {
    const fired = timers.fired(timer);
    const call = calls.get(fired?.call ?? '');
    if (call?.outlivesLost === true) return lostAttemptOver(call);
    const manifest = manifests.get(scopeOf(call?.id ?? ''));
    const timeout = manifest && askTimeoutOf(manifest, call?.tool);
    return call === undefined || timeout === undefined ? [] : leftUnanswered(call, timeout);
  }

  function signaled(name: string, input: unknown): TimelessEvent[] {
    const isAbove = name === pausedAboveSignal.name ? runSignals.pausedAbove(input) : undefined;
    if (isAbove !== undefined) return steering.pausedAbove(isAbove);
    const intent = name === CALL_INTENT ? runSignals[CALL_INTENT](input) : undefined;
    if (intent !== undefined) intended(calls, intent);
    if (name === childUsedSignal.name) spent.usage = addUsage(spent.usage, usedBySubAgent(calls, input));
    const waiting = name === childWaitingSignal.name ? runSignals.childWaiting(input) : undefined;
    if (waiting === undefined) return [];
    if (waiting.waits.some(needsPerson)) timers.putOff();
    return within.told(waiting);
  }

  function settleAll(): TimelessEvent[] {
    return [...settleByRules(calls, timers.isOverdue, ending), ...steering.unheard()];
  }
}
