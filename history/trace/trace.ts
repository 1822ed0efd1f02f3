import { type ModelTurn, isIteration, scopeOf, withoutSchedule } from '../../agent/calls/calls.ts';
import { foreignTurn, readModelTurn } from '../../agent/calls/model-turn.ts';
import { type DoneCall, EARLIER_EFFECTS } from '../../agent/calls/restart.ts';
import { askTimeoutOf } from '../../agent/rules/waiting.ts';
import type { RunEvent, TimelessEvent } from '../../agent/run/events.ts';
import { type AgentRunInput, asRunInput, REWIND_POINT, type RewindPoint } from '../../agent/run/run-input.ts';
import { plannedCalls } from '../../agent/run/planned-calls.ts';
import { type Consumption, unfinished } from '../../agent/run/run-result.ts';
import { runSignals } from '../../agent/run/run-signals.ts';
import { agentOf } from '../../agent/transcript/prompt-context.ts';
import { restartedEvent } from '../../agent/run/transcript-edits.ts';
import { qualifyImageRefs } from '../../agent/start/image-refs.ts';
import { addUsage, noUsage } from '../../agent/values/vocabulary.ts';
import { childUsedSignal, childWaitingSignal, pausedAboveSignal } from '../../workflows/messages.ts';
import type { Fact } from '../read/fact.ts';
import {
  asCallModelInput,
  asDecision,
  asDoneCalls,
  asRewindPoint,
  asResolvedAgent,
  asRunMessage,
} from '../read/records.ts';
import { scheduledCall } from '../read/scheduled-call.ts';
import { RunAgents } from './run-agents.ts';
import { RunCalls, type SettleContext } from './run-calls.ts';
import { RunClock } from './run-clock.ts';
import { RunTimers } from './run-timers.ts';
import { type Pending, type WorkEnded, endOf, scheduledInput, scheduledName } from './scheduled-work.ts';
import { withResult } from './run-output.ts';
import { traceSteering } from './traced-steering.ts';

/** Reloop's activities that do not belong to a step. */
const INTERNAL = new Set(['resolveAgent', EARLIER_EFFECTS, REWIND_POINT]);

/** Turns the facts of a history into run events, one by one. Reads only the history, so no worker is needed. `id`: workflow id. */
export function createTrace(id: string) {
  const pending = new Map<string, Pending>();
  const agents = new RunAgents();
  const timers = new RunTimers();
  const clock = new RunClock();
  const steering = traceSteering();
  const spent: Consumption = { iterations: 0, usage: noUsage };
  const calls = new RunCalls();
  let workflowId = id;
  let runId = '';
  let isBegun = false;
  let lastLog = '';
  let done: readonly DoneCall[] = [];
  let firstN = 0;
  /** The run, or everything under way in the run before a rewind, is being cancelled. */
  let isCancelling = false;

  return {
    async next(fact: Fact): Promise<RunEvent[]> {
      const events = await read(fact);
      for (const event of events) if (event.type === 'used') spent.usage = addUsage(spent.usage, event.usage);
      if (clock.stop(calls.isWaiting || steering.isPaused(), fact.at)) timers.ignoreDeadlines();
      return events.map((event) => ({ ...event, at: fact.at }));
    },
    /** Time of the run that counts for its time limit. */
    elapsedMs: (at: number): number => clock.elapsedMs(at),
    /** Iterations and usage so far. */
    spent: (): Consumption => ({ ...spent }),
    calls,
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
        return calls.apply(timers.cancelled(fact.timer), { type: 'wait_ended' });
      case 'cancel_requested':
        isCancelling = true;
        return [];
      case 'paused_in_temporal':
      case 'unpaused_in_temporal':
        return [{ type: fact.type, by: fact.identity || undefined, reason: fact.reason || undefined }];
      case 'signaled':
        return signaled(fact.name, await fact.input());
      case 'update_completed':
        return updated(await fact.result?.(), await fact.input?.());
      case 'run_succeeded':
        return [...settleAll(), ...withResult(await fact.result(), lastLog)];
      case 'run_failed':
        isCancelling = true;
        return [...settleAll(), unfinished(await fact.error(), spent)];
      case 'run_cancelled':
        return [...settleAll(), unfinished(null, spent)];
      default:
        return [];
    }
  }

  /** Reads a completed update. The run has accepted the message or the decision; the result has the call of a decision. */
  function updated(result: unknown, sent: unknown): TimelessEvent[] {
    const message = asRunMessage(result, sent);
    if (message?.type === 'rewind') isCancelling = true;
    if (message?.type === 'extend' && message.timeMs !== undefined) timers.extended();
    if (message !== undefined) return steering.received(message);
    const decided = asDecision(result, sent);
    if (decided === undefined) return [];
    const { call, decision, isKept } = decided;
    return calls.apply(call, { type: isKept ? 'answered' : 'decided', decision });
  }

  function begin(input: unknown, workflow: string): TimelessEvent[] {
    const run = asRunInput(input);
    agents.addEarlier(run?.agents);
    agents.set(run?.manifest);
    done = run?.done ?? [];
    firstN = run?.firstN ?? 0;
    timers.clear();
    clock.begin(run ?? {});
    const steps = calls.observe(0, run?.pending ?? []);
    // The history of an earlier execution may have been deleted: the input has its counters.
    const { iterations, usage } = run?.counters ?? spent;
    Object.assign(spent, { iterations, usage });
    steps.push(...calls.observe(0, run?.restart?.turn?.ends.map(({ entry }) => entry) ?? []));
    const restarted = applyRestart(run);
    if (isBegun && restarted.length > 0) return [...steps, ...restarted];
    if (run?.from !== undefined && run.question === undefined && calls.size > 0) {
      return [...steps, { type: 'continued', runId }];
    }
    isBegun = true;
    const { agent = '', question, by } = run ?? {};
    const content = qualifyImageRefs(question?.input ?? '', { workflowId, runId });
    const more = run === undefined ? { workflow } : by === undefined ? {} : { by };
    return [...steps, { type: 'run_started', id, runId, agent, input: content, ...more }, ...restarted];
  }

  async function schedule(fact: Extract<Fact, { type: 'scheduled' }>): Promise<TimelessEvent[]> {
    const scheduled = scheduledCall(workflowId, fact);
    if (scheduled === undefined) return [];
    const { call, scope, n } = scheduled;
    const known = calls.get(call);
    const name = scheduledName(fact, known?.action.tool);
    const task = { name, call, atMs: fact.at, attempts: 0, closing: false, isModelCall: false };
    pending.set(fact.key, task);
    if (INTERNAL.has(name)) return [];
    clock.start(fact.at);
    const input = await fact.input();
    if (name === 'callModel') {
      const modelInput = asCallModelInput(input);
      task.closing = modelInput?.closing === true;
      task.isModelCall = modelInput !== undefined;
      if (modelInput !== undefined) steering.sent(scope, modelInput);
      const steps = calls.observe(scope, modelInput?.delta ?? []);
      agents.set(agentOf(modelInput?.delta ?? [])?.manifest, scope);
      calls.addModelCall(call, n);
      return [...steps, ...calls.apply(call, { type: 'scheduled', n })];
    }
    if (known !== undefined) return calls.apply(call, { type: 'scheduled', n });
    return [{ type: 'tool_started', call, tool: name, toolInput: scheduledInput(fact, input) }];
  }

  /** An activity or a sub-agent's run has ended. */
  async function ended(fact: WorkEnded): Promise<TimelessEvent[]> {
    const task = pending.get(fact.key);
    if (task === undefined) return [];
    const { call } = task;
    // A cancellation is only requested: a worker's activity has another event when it ends.
    if (fact.type === 'cancelled' && fact.requested && calls.get(call)?.tool?.external !== true) return [];
    pending.delete(fact.key);
    if (INTERNAL.has(task.name)) {
      const result = fact.type === 'succeeded' ? await fact.result() : undefined;
      if (task.name === REWIND_POINT) return rewoundTo(asRewindPoint(result));
      if (task.name === 'resolveAgent') clock.start(fact.at);
      resolved(task, result);
      return [];
    }
    const ms = fact.at - task.atMs;
    if (task.name === 'callModel' && fact.type === 'succeeded') {
      return replied(task, readModelTurn(await fact.result()), ms);
    }
    return calls.apply(call, await endOf(fact, { attempts: task.attempts, ms }));
  }

  function resolved({ name, call }: Pending, result: unknown): void {
    if (name === EARLIER_EFFECTS) done = [...done, ...asDoneCalls(result)];
    agents.setFirst(asResolvedAgent(result)?.manifest, scopeOf(call));
  }

  /** The run has rewound itself: forgets the calls of the dropped steps. */
  function rewoundTo(point: RewindPoint | undefined): TimelessEvent[] {
    if (point === undefined) return [];
    const settled = calls.settle(settleContext());
    ({ done, firstN } = point);
    const { iterations, usage } = point.counters;
    Object.assign(spent, { iterations, usage });
    isCancelling = false;
    agents.setByName(point.agent);
    pending.clear();
    timers.extended();
    clock.rewind(point.elapsedMs);
    steering.rewound();
    const restart = { by: 'rewind', step: iterations + 1, from: { runId } } as const;
    const event = restartedEvent({ id: workflowId, runId }, restart, undefined, point.counters);
    calls.restart(event);
    return [...settled, event];
  }

  function replied({ call, closing, isModelCall }: Pending, turn: ModelTurn | undefined, ms: number) {
    if (turn === undefined)
      return isModelCall ? calls.apply(call, { type: 'failed', failed: foreignTurn, ms }) : [];
    const { decision, text, attempt: attempts = 1 } = turn;
    const reply = calls.apply(call, { type: 'replied', turn, attempts, ms, closing: closing || undefined });
    calls.delete(call);
    if (isIteration({ turn, closing })) spent.iterations++;
    spent.usage = addUsage(spent.usage, turn.usage);
    if (decision.type === 'finish') lastLog = decision.log ?? text;
    const tools = agents.get(scopeOf(call))?.tools ?? [];
    return [...reply, ...calls.plan(call, turn, { tools, firstN })];
  }

  function timerStarted(timer: string, summary: unknown): TimelessEvent[] {
    const wait = timers.started(timer, summary);
    if (wait === undefined) return [];
    const { call: waiting, reason, until, figure } = wait;
    // A run at its limit waits at a model call that is not scheduled.
    const call = figure === undefined ? calls.get(waiting) : calls.addModelCall(waiting, firstN);
    // A wait without a time limit starts another timer when its timer fires.
    if (call === undefined || call.end !== undefined || call.wait !== undefined) return [];
    // No model call follows that shows the ends of the turn before a limit.
    const settled = reason === 'limit' ? calls.settle(settleContext(), scopeOf(waiting)) : [];
    return [...settled, ...calls.apply(waiting, { type: 'wait_started', reason, until, figure, done })];
  }

  function timerFired(timer: string): TimelessEvent[] {
    const call = calls.get(timers.fired(timer));
    if (call === undefined) return [];
    if (call.wait?.until !== undefined) return calls.apply(call.id, { type: 'wait_ended' });
    const manifest = agents.get(scopeOf(call.id));
    const timeout = manifest && askTimeoutOf(manifest, call.tool);
    return timeout === undefined ? [] : calls.apply(call.id, { type: 'unanswered', timeout });
  }

  function signaled(name: string, input: unknown): TimelessEvent[] {
    const isAbove = name === pausedAboveSignal.name ? runSignals.pausedAbove(input) : undefined;
    if (isAbove !== undefined) return steering.pausedAbove(isAbove);
    const told = calls.told(name, input);
    if (told !== undefined) return told;
    const used = name === childUsedSignal.name ? runSignals.childUsed(input) : undefined;
    if (used !== undefined)
      return calls.apply(withoutSchedule(used.caller), { type: 'child_used', usage: used.usage });
    const waiting = name === childWaitingSignal.name ? runSignals.childWaiting(input) : undefined;
    if (waiting === undefined) return [];
    return calls.apply(withoutSchedule(waiting.caller), { type: 'child_waits_changed', change: waiting });
  }

  function settleAll(): TimelessEvent[] {
    return [...calls.settle(settleContext()), ...steering.unheard()];
  }

  function settleContext(): SettleContext {
    return { overdue: timers.isOverdue, isCancelling, done };
  }

  /** If a person has restarted the run: forgets the dropped calls, and returns the event. */
  function applyRestart(run: AgentRunInput | undefined): TimelessEvent[] {
    if (run?.restart === undefined) return [];
    const event = restartedEvent({ id: workflowId, runId }, run.restart, run.pending, spent);
    const { step, turn } = run.restart;
    const tools = agents.get(0)?.tools ?? [];
    calls.restart(event, turn && plannedCalls(String(step), turn.turn, { tools, firstN }));
    // The run may have ended before a rewind that it had accepted.
    isCancelling = false;
    pending.clear();
    return [event, ...steering.restarted(run.said ?? [])];
  }
}
