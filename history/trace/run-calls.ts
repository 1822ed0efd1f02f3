import { type CallIntent, type ModelTurn, parseActivityId, scopeOf } from '../../agent/calls/calls.ts';
import { type DoneCall, type Restart, type RestartedEvent, isDropped } from '../../agent/calls/restart.ts';
import type { ToolManifest } from '../../agent/definition/manifest.ts';
import { callWithin } from '../../agent/rules/call-rules.ts';
import { nextCall } from '../../agent/run/call-next.ts';
import { type Call, type CallFact, type Next, modelCall, restartedCall } from '../../agent/run/call-state.ts';
import { thenOf } from '../../agent/run/call-then.ts';
import type { TimelessEvent } from '../../agent/run/events.ts';
import { plannedCalls } from '../../agent/run/planned-calls.ts';
import type { Entry } from '../../agent/transcript/entries.ts';
import type { Usage } from '../../agent/values/vocabulary.ts';
import { calledIn } from '../read/scheduled-call.ts';

/** State of the run at which calls without a recorded end are settled. */
export interface SettleContext {
  /** The time limit has passed. */
  overdue: boolean;
  /** The run, or all that is under way in the run, is being cancelled. */
  ending: boolean;
  done: readonly DoneCall[];
}

/** The calls of a run, by id. Feeds the facts of a history to the same rules as the workflow. */
export class RunCalls {
  readonly #calls = new Map<string, Call>();
  readonly #onUsed: (usage: Usage) => void;

  /** `onUsed`: receives the usage of model calls that a tool has made. */
  constructor(onUsed: (usage: Usage) => void) {
    this.#onUsed = onUsed;
  }

  get size(): number {
    return this.#calls.size;
  }

  get(id: string): Call | undefined {
    return this.#calls.get(id);
  }

  /** Returns the events of the fact; none for an unknown call. */
  apply(id: string, fact: CallFact): TimelessEvent[] {
    const call = this.#calls.get(id);
    return call === undefined ? [] : this.#set(nextCall(call, fact));
  }

  /** The runner of a schedule is about to run the tool. */
  intend({ activityId, intent }: CallIntent): void {
    const { scope = 0, call = '', n = 0 } = parseActivityId(activityId) ?? {};
    this.apply(calledIn(scope, call), { type: 'intended', n, intent });
  }

  /** Adds a model call, unless the call is known. */
  addModelCall(id: string, firstN: number): Call {
    const call = this.#calls.get(id) ?? modelCall(id, firstN);
    this.#calls.set(id, call);
    return call;
  }

  /** The model has replied: its tool calls take the place of the model call. */
  plan(
    id: string,
    turn: ModelTurn,
    known: { tools: readonly ToolManifest[]; firstN: number },
  ): TimelessEvent[] {
    return plannedCalls(id, turn, known).flatMap((planned) => this.#set(planned));
  }

  delete(id: string): void {
    this.#calls.delete(id);
  }

  /** A model call, or a run that continues, has received these steps. */
  tell(scope: number, entries: readonly Entry[]): TimelessEvent[] {
    return entries.flatMap((entry) => {
      if (entry.type !== 'step') return [];
      const id = scope === 0 ? entry.call : callWithin(String(scope), entry.call);
      return this.apply(id, { type: 'observed', observation: entry.observation });
    });
  }

  /** No model call follows with the steps of the calls: the rules say how the calls ended. `scope`: default all agents. */
  settle(context: SettleContext, scope?: number): TimelessEvent[] {
    return [...this.#calls.values()].flatMap((call) => {
      if (scope !== undefined && scopeOf(call.id) !== scope) return [];
      if (call.end !== undefined || (context.ending && isCancelledWithRun(call))) return [];
      const then = thenOf(call, { ...context, nowMs: 0, approved: undefined });
      if (then.do !== 'end') return [];
      return this.apply(call.id, { type: 'observed', observation: then.end.observation });
    });
  }

  /** Steps were dropped. The calls of a turn that is taken again stay, and wait for nobody. */
  restart({ step, again }: RestartedEvent): void {
    for (const call of this.#calls.values()) {
      if (isDropped(call.id, { step, again: again && [] })) this.#calls.delete(call.id);
      else this.#calls.set(call.id, restartedCall(call));
    }
  }

  /** A call of a turn that is taken again has the input that the retry gives. */
  giveInputs({ step, turn }: Restart): void {
    const decision = turn?.turn.decision;
    if (decision?.type !== 'act') return;
    decision.actions.forEach(({ toolInput }, index) => {
      const call = this.#calls.get(`${step}.${index + 1}`);
      if (call === undefined || call.end !== undefined) return;
      this.#calls.set(call.id, { ...call, action: { ...call.action, toolInput } });
    });
  }

  #set({ call, events, used }: Next): TimelessEvent[] {
    this.#calls.set(call.id, call);
    if (used !== undefined) this.#onUsed(used);
    return events;
  }
}

/** The cancellation of the run ended the call: the call has no step. */
function isCancelledWithRun({ last, cancelled, wait, underWay }: Call): boolean {
  if (last === undefined || last.type === 'deferred' || wait !== undefined || underWay !== undefined)
    return true;
  return last.type === 'cancelled' && cancelled === undefined;
}
