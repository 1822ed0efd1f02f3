import { CancellationScope, condition, log } from '@temporalio/workflow';
import type { AskedState } from '../../agent/calls/asked-state.ts';
import type { AskTimeout, JsonSchema } from '../../agent/definition/manifest.ts';
import { type OperatorDecision, effectOf } from '../../agent/rules/decisions.ts';
import type { GateCall } from '../../agent/rules/gate.ts';
import { type WaitingCall, needsPerson, waitingSummary } from '../../agent/rules/waiting.ts';
import { nextCall } from '../../agent/run/call-next.ts';
import type { Call, CallFact, WaitFact } from '../../agent/run/call-state.ts';
import type { Json, Usage } from '../../agent/values/vocabulary.ts';
import { recordTimer } from '../temporal/recorded-timer.ts';
import { type Emit, logResumed, logWaiting } from './emit.ts';

export interface OpenCallOptions {
  /** Schema of the input that a person may give; see {@link GateCall}. */
  inputSchema?: JsonSchema | null | undefined;
  /** The only people who may end a wait for approval. */
  approvers?: readonly string[] | undefined;
  /** Schema of the run's answer, if a person may give the answer. */
  outputSchema?: JsonSchema | undefined;
  /** Clock of the time limit. Stopped during a wait for a person. */
  clock: { pause(): void; resume(): void };
  emit?: Emit | undefined;
  /** Background calls may be under way beside a model call. */
  isBeside?(): boolean;
  /** Called with the usage of model calls that the tool, or the sub-agent, has made. */
  onUsed?(usage: Usage): void;
  /** Called when the call, or a call of its sub-agent, starts or ends a wait. */
  onWaitingChange(): void;
}

export interface WaitOptions {
  /** Default: the wait has no time limit. */
  timeout?: AskTimeout | undefined;
  /** Ends the wait without a decision. */
  endsWhen?: (() => boolean) | undefined;
}

/** The workflow's side of one call: applies facts, emits their events, waits for people, and keeps the cancellation scope. */
export class OpenCall implements GateCall {
  readonly inputSchema: JsonSchema | null | undefined;
  readonly outputSchema: JsonSchema | undefined;
  readonly approvers: readonly string[] | undefined;
  readonly #options: OpenCallOptions;
  #call: Call;
  /** End of the wait under way, in milliseconds since 1970. */
  #waitsUntil = Infinity;
  #scope: CancellationScope | undefined;
  /** The decision that ends the current wait, until the workflow has continued. */
  #decision: OperatorDecision | undefined;

  constructor(call: Call, options: OpenCallOptions) {
    this.#call = call;
    this.#options = options;
    this.inputSchema = options.inputSchema;
    this.outputSchema = options.outputSchema;
    this.approvers = options.approvers;
  }

  get now(): Call {
    return this.#call;
  }

  get id(): string {
    return this.#call.id;
  }

  /** Number of the wait under way, or of the next wait. */
  get waitNumber(): number {
    return this.#call.wait?.n ?? this.#call.nextWait;
  }

  get input(): Json | undefined {
    return this.#call.wait?.toolInput;
  }

  get token(): string | undefined {
    return this.#call.wait && this.#call.token;
  }

  get maxOutputChars(): number | undefined {
    const { tool } = this.#call;
    return tool?.agent === undefined ? tool?.maxOutputChars : undefined;
  }

  get asks(): AskedState | undefined {
    const { wait, last } = this.#call;
    return wait !== undefined && last?.type === 'deferred' ? last.asks : undefined;
  }

  get earlyAnswers(): readonly OperatorDecision[] {
    return this.#call.earlyAnswers;
  }

  get state(): GateCall['state'] {
    const { kind, wait } = this.#call;
    return { kind, waiting: wait?.reason, until: wait?.until };
  }

  get isDecided(): boolean {
    const { wait, cancelled } = this.#call;
    // The timer of a wait may have fired in the same task as a decision. Readers of the history then see the timer first.
    if (Date.now() >= this.#waitsUntil) return true;
    return this.#decision !== undefined || (wait === undefined && cancelled !== undefined);
  }

  /** The wait of the call, and the waits in its sub-agent. */
  get waits(): readonly WaitingCall[] {
    const { wait, within } = this.#call;
    return wait === undefined ? within : [wait, ...within];
  }

  get waitingWithin(): string[] {
    return this.#call.within.map(({ call }) => call);
  }

  apply(fact: CallFact): void {
    const { earlyAnswers, within } = this.#call;
    const { call, events, used } = nextCall(this.#call, fact);
    this.#call = call;
    for (const event of events) this.#options.emit?.(event);
    if (used !== undefined) this.#used(used);
    if (call.within !== within) this.#withinChanged(within, call.within);
    if (call.earlyAnswers.length < earlyAnswers.length) {
      const isUsed = events.some(({ type }) => type === 'decided');
      this.#logUnused(earlyAnswers.length - (isUsed ? 1 : 0));
    }
  }

  /** Applies an accepted decision. */
  decide(decision: OperatorDecision): void {
    const { type } = effectOf(decision);
    if (type !== 'none' && this.#call.wait !== undefined) this.#decision = decision;
    this.apply({ type: 'decided', decision });
    if (type === 'cancel') this.#scope?.cancel();
  }

  /** Makes the cancellation scope of the next schedule or wait. */
  newScope(): CancellationScope {
    this.#scope = new CancellationScope();
    return this.#scope;
  }

  /** Waits. Resolves to the decision that ended the wait; undefined if the wait ended otherwise. Throws CancelledFailure. */
  async wait(fact: WaitFact, { timeout, endsWhen }: WaitOptions = {}): Promise<OperatorDecision | undefined> {
    const { clock, onWaitingChange } = this.#options;
    this.apply({ type: 'wait_started', ...fact });
    const { wait } = this.#call;
    if (wait === undefined) throw new Error('unreachable: the call is over');
    logWaiting(wait);
    const stopsClock = needsPerson(wait);
    if (stopsClock) clock.pause();
    const timeoutMs = wait.until === undefined ? timeout?.afterMs : wait.until - Date.now();
    const timer = recordTimer(waitingSummary(this.id, fact.figure ?? wait.tool, this.state), timeoutMs);
    this.#waitsUntil = Date.now() + (timeoutMs ?? Infinity);
    onWaitingChange();
    let outcome = stopsClock ? 'no decision in time' : 'the tool is asked whether it took effect';
    try {
      await condition(() => this.#decision !== undefined || timer.over || endsWhen?.() === true);
      if (endsWhen?.() === true) outcome = 'no decision is needed';
      else if (wait.until === undefined && timeout !== undefined) this.apply({ type: 'unanswered', timeout });
    } finally {
      this.apply({ type: 'wait_ended', isBeside: this.#options.isBeside?.() });
      this.#waitsUntil = Infinity;
      timer.end();
      if (stopsClock) clock.resume();
      onWaitingChange();
    }
    const decision: OperatorDecision | undefined = this.#decision;
    this.#decision = undefined;
    logResumed(wait, decision?.type ?? outcome);
    return decision;
  }

  /** Reports the usage of model calls that the tool, or the sub-agent, has made. */
  #used(usage: Usage): void {
    this.#options.onUsed?.(usage);
    this.#options.emit?.({ type: 'used', call: this.id, usage });
  }

  close(): void {
    this.#logUnused(this.#call.earlyAnswers.length);
  }

  #logUnused(answers: number): void {
    for (let answer = 0; answer < answers; answer++) {
      log.warn(`An answer by token to call ${this.id}, which still ran, was not used.`);
    }
  }

  #withinChanged(before: readonly WaitingCall[], now: readonly WaitingCall[]): void {
    const { clock, onWaitingChange } = this.#options;
    const [waited, waits] = [before, now].map((calls) => calls.some(needsPerson));
    if (waited !== true && waits === true) clock.pause();
    if (waited === true && waits !== true) clock.resume();
    onWaitingChange();
  }
}
