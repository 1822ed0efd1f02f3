import { type ModelTurn, scopeOf } from '../calls/calls.ts';
import { type DoneCall, type RestartedEvent, isDropped } from '../calls/restart.ts';
import type { ToolManifest } from '../definition/manifest.ts';
import { callWithin } from '../rules/call-rules.ts';
import { CANCEL_BY_MODEL } from '../rules/decisions.ts';
import { needsPerson } from '../rules/waiting.ts';
import { nextCall } from './call-next.ts';
import { type Call, type CallFact, type Transition, modelCall } from './call-state.ts';
import { nextAction } from './next-action.ts';
import type { TimelessEvent } from './events.ts';
import type { RunFact } from './run-fact.ts';
import { plannedCalls } from './planned-calls.ts';
import { type Entry, hasResult } from '../transcript/entries.ts';

/** State of the run that decides how calls without a recorded end have ended. */
export interface SettleContext {
  /** The time limit has passed. */
  overdue: boolean;
  /** The run, or everything under way in the run, is being cancelled. */
  isCancelling: boolean;
  done: readonly DoneCall[];
}

/** The calls of a run, by id. Applies facts to the calls, with the rules that the workflow uses. */
export class RunCalls {
  readonly #calls = new Map<string, Call>();
  /** Calls that wait for a person, or whose sub-agents do. */
  readonly #waiting = new Set<string>();

  get size(): number {
    return this.#calls.size;
  }

  get(id: string): Call | undefined {
    return this.#calls.get(id);
  }

  values(): Iterable<Call> {
    return this.#calls.values();
  }

  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** Applies a fact to a call and returns the events. An unknown call has no events. */
  apply(id: string, fact: CallFact): TimelessEvent[] {
    const call = this.#calls.get(id);
    return call === undefined ? [] : this.#set(nextCall(call, fact));
  }

  /** A call is scheduled. One that no agent of the run has planned only has its event. */
  schedule({ call, n, tool, toolInput, cancels }: Extract<RunFact, { type: 'scheduled' }>): TimelessEvent[] {
    const started: TimelessEvent[] =
      this.#calls.get(call) === undefined
        ? [{ type: 'tool_started', call, tool, toolInput }]
        : this.apply(call, { type: 'scheduled', n });
    if (cancels === undefined) return started;
    return [...started, ...this.apply(cancels, { type: 'decided', decision: CANCEL_BY_MODEL })];
  }

  /** Adds a model call, unless the call is known. */
  addModelCall(id: string, firstN: number): Call {
    const call = this.#calls.get(id) ?? modelCall(id, firstN);
    this.#calls.set(id, call);
    return call;
  }

  /** Adds the tool calls of the model's reply. */
  plan(
    id: string,
    turn: ModelTurn,
    options: { tools: readonly ToolManifest[]; firstN: number },
  ): TimelessEvent[] {
    return plannedCalls(id, turn, options).flatMap((planned) => this.#set(planned));
  }

  delete(id: string): void {
    this.#calls.delete(id);
    this.#waiting.delete(id);
  }

  /** A model call, or a continued run, has these steps in its input. */
  observe(scope: number, entries: readonly Entry[]): TimelessEvent[] {
    return entries.flatMap((entry) => {
      if (!hasResult(entry)) return [];
      const id = scope === 0 ? entry.call : callWithin(String(scope), entry.call);
      return this.apply(id, { type: 'observed', observation: entry.observation });
    });
  }

  /** Ends calls of which history shows no end, because no model call follows. The rules say how they ended. `scope`: default all agents. */
  settle(context: SettleContext, scope?: number): TimelessEvent[] {
    return [...this.#calls.values()].flatMap((call) => {
      if (scope !== undefined && scopeOf(call.id) !== scope) return [];
      const fact = settled(call, context);
      return fact === undefined ? [] : this.apply(call.id, fact);
    });
  }

  /**
   * Removes the calls of dropped steps. `planned`: the calls of a resumed turn; those without an end start again, and their attempts
   * are counted on.
   */
  restart(event: RestartedEvent, planned: readonly Transition[] = []): void {
    const before = new Map(this.#calls);
    for (const id of before.keys()) if (isDropped(id, event)) this.delete(id);
    for (const { call } of planned) {
      if (this.#calls.has(call.id)) continue;
      const { attempts = 0, durationMs = 0 } = before.get(call.id) ?? {};
      this.#calls.set(call.id, { ...call, attempts, durationMs });
    }
  }

  #set({ call, events, used }: Transition): TimelessEvent[] {
    this.#calls.set(call.id, call);
    if ([call.wait, ...call.within].some((wait) => wait && needsPerson(wait))) this.#waiting.add(call.id);
    else this.#waiting.delete(call.id);
    return used === undefined ? events : [...events, { type: 'used', call: call.id, usage: used }];
  }
}

/** Returns the end of a call of which history shows none; undefined for a call that has its end, or gets none. */
export function settled(call: Call, context: SettleContext): CallFact | undefined {
  if (call.end !== undefined || (context.isCancelling && isCancelledWithRun(call))) return undefined;
  // The result of a cancelled call is known when the call is over.
  if (call.underWay !== undefined && !context.overdue) return undefined;
  const action = nextAction(call, { ...context, nowMs: 0, approved: undefined });
  return action.do === 'end' ? { type: 'observed', observation: action.end.observation } : undefined;
}

/** Returns true if the run's cancellation ended the call. Such a call has no step. */
function isCancelledWithRun({ last, cancelled, wait, underWay }: Call): boolean {
  if (last === undefined || last.type === 'deferred' || wait !== undefined || underWay !== undefined)
    return true;
  return last.type === 'cancelled' && cancelled === undefined;
}
