import { isIteration, scopeOf } from '../calls/calls.ts';
import { type DoneCall, restartedEvent } from '../calls/restart.ts';
import { RunAgents } from '../calls/run-agents.ts';
import { UncarriedMessages } from '../calls/uncarried-messages.ts';
import { type Granted, grantedIn } from '../limits/counters.ts';
import { addAllowance } from '../limits/extension.ts';
import { RunClock } from '../limits/run-clock.ts';
import { approvedBy } from '../rules/approval.ts';
import type { RunMessage } from '../rules/run-messages.ts';
import { type RecordedWait, askTimeoutOf } from '../rules/waiting.ts';
import { qualifyMediaRefs } from '../start/media-refs.ts';
import { agentOf } from '../transcript/entries.ts';
import { plainJson } from '../values/values.ts';
import { addUsage, noUsage } from '../values/vocabulary.ts';
import type { TimelessEvent } from './events.ts';
import { plannedCalls } from './planned-calls.ts';
import { RunCalls, type SettleContext } from './run-calls.ts';
import type { KeptState, RunFact } from './run-fact.ts';
import type { AgentRunInput, RewindPoint } from './run-input.ts';
import { type Consumption, finished, unfinished } from './run-result.ts';

type Of<T extends RunFact['type']> = Extract<RunFact, { type: T }>;

/**
 * The state of a run. Facts change it, one by one, and have events. Inside one workflow task the order of facts is not always the
 * workflow's own: the completion of an update may come after the model call that carries its message.
 */
export class Run {
  readonly calls = new RunCalls();
  readonly agents = new RunAgents();
  readonly #id: string;
  readonly #clock = new RunClock();
  readonly #uncarried = new UncarriedMessages();
  #spent: Consumption = { iterations: 0, usage: noUsage };
  #run = { id: '', runId: '' };
  #isStarted = false;
  #isPaused = false;
  #isPausedAbove = false;
  #lastLog = '';
  #done: readonly DoneCall[] = [];
  #firstN = 0;
  #lastN = -1;
  #granted: Granted = {};
  /** The run, or everything under way in the run before a rewind, is being cancelled. */
  #isCancelling = false;

  /** `id`: workflow id of the run that is read. Runs before it may have other ids. */
  constructor(id: string) {
    this.#id = id;
  }

  /** Applies a fact, and returns its events. `at`: milliseconds since 1970. */
  next(fact: RunFact, at: number): TimelessEvent[] {
    const events = this.#read(fact, at);
    for (const event of events) this.#count(event);
    if ('n' in fact) this.#lastN = Math.max(this.#lastN, fact.n);
    this.#clock.stop(this.calls.isWaiting || this.#isPaused || this.#isPausedAbove, at);
    return events;
  }

  /** Returns the state that a restart keeps. */
  get kept(): KeptState {
    const { next: unheard } = this.#uncarried;
    return {
      spent: { ...this.#spent },
      granted: this.#granted,
      done: this.#done,
      lastN: this.#lastN,
      unheard,
    };
  }

  /** Returns the time of the run that counts for its time limit. */
  elapsedMs(at: number): number {
    return this.#clock.elapsedMs(at);
  }

  #read(fact: RunFact, at: number): TimelessEvent[] {
    switch (fact.type) {
      case 'started':
        return this.#started(fact);
      case 'resolved':
        this.#clock.start(at);
        if (fact.agent !== undefined) this.agents.resolved(fact.agent.manifest, fact.scope);
        return [];
      case 'effects_read':
        this.#done = [...this.#done, ...fact.done];
        return [];
      case 'model_scheduled':
        this.#clock.start(at);
        return this.#modelScheduled(fact);
      case 'model_replied':
        return this.#modelReplied(fact);
      case 'scheduled':
        this.#clock.start(at);
        return this.calls.schedule(fact);
      case 'read_scheduled':
        return [];
      case 'call':
        return this.calls.apply(fact.call, fact.fact);
      case 'message':
        return this.#received(fact.message);
      case 'paused_above': {
        const { isPaused } = fact;
        if (this.#isPausedAbove === isPaused) return [];
        this.#isPausedAbove = isPaused;
        return [{ type: 'steered', message: { type: isPaused ? 'pause' : 'resume' }, above: true }];
      }
      case 'deadline_started':
        this.#clock.timerStarted(fact.timer);
        return [];
      case 'wait_started':
        return this.#waitStarted(fact.wait);
      case 'timer_fired':
        return this.#timerFired(fact);
      case 'cancel_requested':
        this.#isCancelling = true;
        return [];
      case 'rewound':
        return this.#rewound(fact.point);
      case 'succeeded':
        return [...this.#settleAll(), ...this.#finished(fact)];
      case 'failed':
        this.#isCancelling = true;
        return [...this.#settleAll(), unfinished(fact.error, this.#spent)];
      case 'cancelled':
        return [...this.#settleAll(), unfinished(null, this.#spent)];
    }
  }

  #started({ workflow, workflowId, runId, input }: Of<'started'>): TimelessEvent[] {
    this.#run = { id: workflowId, runId };
    this.#uncarried.clear(); // the input of the run has them
    this.agents.addEarlier(input?.agents);
    this.agents.set(input?.manifest);
    this.agents.set(agentOf(input?.pending ?? [])?.manifest);
    this.#done = input?.done ?? [];
    this.#firstN = input?.firstN ?? 0;
    this.#lastN = Math.max(this.#lastN, this.#firstN - 1);
    if (input !== undefined) this.#granted = grantedIn(input.counters);
    this.#clock.begin(input ?? {});
    const steps = this.calls.observe(0, input?.pending ?? []);
    // The history of an earlier execution may have been deleted: the input has its counters.
    const { iterations, usage } = input?.counters ?? this.#spent;
    this.#spent = { iterations, usage };
    steps.push(...this.calls.observe(0, input?.restart?.turn?.ends.map(({ entry }) => entry) ?? []));
    const restarted = this.#restarted(input);
    if (this.#isStarted && restarted.length > 0) return [...steps, ...restarted];
    if (input?.from !== undefined && input.question === undefined && this.calls.size > 0) {
      return [...steps, { type: 'continued', runId }];
    }
    this.#isStarted = true;
    const { agent = '', question, by } = input ?? {};
    const content = qualifyMediaRefs(question?.input ?? '', { workflowId, runId });
    const more = input === undefined ? { workflow } : by === undefined ? {} : { by };
    return [
      ...steps,
      { type: 'run_started', id: this.#id, runId, agent, input: content, ...more },
      ...restarted,
    ];
  }

  /** If a person has restarted the run: forgets the dropped calls, and returns the event. */
  #restarted(input: AgentRunInput | undefined): TimelessEvent[] {
    if (input?.restart === undefined) return [];
    const { restart, pending, said = [] } = input;
    const event = restartedEvent(this.#run, restart, pending, this.#spent);
    const { step, turn } = restart;
    const tools = this.agents.get(0)?.tools ?? [];
    this.calls.restart(event, turn && plannedCalls(String(step), turn.turn, { tools, firstN: this.#firstN }));
    // The run may have ended before a rewind that it had accepted.
    this.#isCancelling = false;
    this.#uncarried.rewind();
    this.#isPaused = false;
    this.#isPausedAbove = false;
    // Messages that the model has not seen: the new run receives them again.
    return [event, ...said.flatMap((text) => this.#received({ type: 'say', text }))];
  }

  /** The run has rewound itself: forgets the calls of the dropped steps. */
  #rewound(point: RewindPoint): TimelessEvent[] {
    const { done, firstN, counters, elapsedMs } = point;
    const settled = this.calls.settle(this.#settleContext());
    this.#done = done;
    this.#firstN = firstN;
    const { iterations, usage } = counters;
    this.#spent = { iterations, usage };
    this.#isCancelling = false;
    this.#granted = grantedIn(counters);
    this.agents.rewound(point);
    this.#clock.rewind(elapsedMs);
    this.#uncarried.rewind();
    const { runId } = this.#run;
    const restart = { by: 'rewind', step: iterations + 1, from: { runId } } as const;
    const event = restartedEvent(this.#run, restart, undefined, counters);
    this.calls.restart(event);
    return [...settled, event];
  }

  #modelScheduled({ call, scope, n, input }: Of<'model_scheduled'>): TimelessEvent[] {
    if (input !== undefined) this.#uncarried.carry(scope, input);
    const steps = this.calls.observe(scope, input?.delta ?? []);
    this.agents.set(agentOf(input?.delta ?? [])?.manifest, scope);
    this.calls.addModelCall(call, n);
    return [...steps, ...this.calls.apply(call, { type: 'scheduled', n })];
  }

  #modelReplied({ call, turn, ms, closing }: Of<'model_replied'>): TimelessEvent[] {
    const { decision, text, attempt: attempts = 1 } = turn;
    const reply = this.calls.apply(call, {
      type: 'replied',
      turn,
      attempts,
      ms,
      closing: closing || undefined,
    });
    this.calls.delete(call);
    this.agents.replied(call);
    if (isIteration({ turn, closing })) this.#spent.iterations++;
    this.#spent.usage = addUsage(this.#spent.usage, turn.usage);
    if (decision.type === 'finish') this.#lastLog = decision.log ?? text;
    const tools = this.agents.get(scopeOf(call))?.tools ?? [];
    return [...reply, ...this.calls.plan(call, turn, { tools, firstN: this.#firstN })];
  }

  #waitStarted({ call: waiting, reason, until, figure }: RecordedWait): TimelessEvent[] {
    // A run at its limit waits at a model call that is not scheduled.
    const call =
      figure === undefined ? this.calls.get(waiting) : this.calls.addModelCall(waiting, this.#firstN);
    // A wait without a time limit starts another timer when its timer fires.
    if (call === undefined || call.end !== undefined || call.wait !== undefined) return [];
    // No model call follows that shows the ends of the turn before a limit.
    const settled = reason === 'limit' ? this.calls.settle(this.#settleContext(), scopeOf(waiting)) : [];
    const fact = { type: 'wait_started', reason, until, figure, done: this.#done } as const;
    return [...settled, ...this.calls.apply(waiting, fact)];
  }

  #timerFired({ timer, call: waiting = '' }: Of<'timer_fired'>): TimelessEvent[] {
    this.#clock.timerFired(timer);
    const call = this.calls.get(waiting);
    if (call === undefined) return [];
    if (call.wait?.until !== undefined) return this.calls.apply(call.id, { type: 'wait_ended' });
    const manifest = this.agents.agentOf(call.id);
    const timeout = manifest && askTimeoutOf(manifest, call.tool);
    return timeout === undefined ? [] : this.calls.apply(call.id, { type: 'unanswered', timeout });
  }

  #received(message: RunMessage): TimelessEvent[] {
    const events: TimelessEvent[] = [{ type: 'steered', message }];
    switch (message.type) {
      case 'say':
        this.#uncarried.receive(message.text);
        return events;
      case 'pause':
      case 'resume':
        this.#isPaused = message.type === 'pause';
        return events;
      case 'extend':
        this.#granted = { ...this.#granted, allowance: addAllowance(this.#granted.allowance ?? {}, message) };
        if (message.timeMs !== undefined) this.#clock.extend();
        return events;
      case 'rewind':
        this.#isCancelling = true;
        this.#uncarried.clear(); // a rewind drops earlier messages
        return this.#isPaused ? [...events, ...this.#received({ type: 'resume' })] : events;
    }
  }

  #finished({ result, value }: Of<'succeeded'>): TimelessEvent[] {
    if (result !== undefined) return finished(result, this.#lastLog);
    // A custom workflow may run agents, and its result may have any form.
    const none = { stopReason: null, iterations: null, usage: null, error: null };
    return [{ type: 'run_ended', status: 'completed', output: plainJson(value), ...none }];
  }

  /** The run is over. A retry says again what nobody has heard. */
  #settleAll(): TimelessEvent[] {
    const settled = this.calls.settle(this.#settleContext());
    const { unheard } = this.#uncarried;
    return unheard.length === 0 ? settled : [...settled, { type: 'unheard', messages: [...unheard] }];
  }

  #settleContext(): SettleContext {
    return { overdue: this.#clock.isOverdue, isCancelling: this.#isCancelling, done: this.#done };
  }

  #count(event: TimelessEvent): void {
    if (event.type === 'used') this.#spent.usage = addUsage(this.#spent.usage, event.usage);
    if (event.type === 'waiting' && !event.wait.call.includes('/'))
      this.#lastN = Math.max(this.#lastN, event.wait.n);
    if (event.type !== 'decided') return;
    const action = this.calls.get(event.call)?.action;
    const approved = action && approvedBy(event.decision, action, this.#granted.approved);
    if (approved !== undefined) this.#granted = { ...this.#granted, approved };
  }
}
