import { CancellationScope, condition, log } from '@temporalio/workflow';
import type { Intent } from '../../agent/calls/calls.ts';
import type { WaitingCall } from '../../agent/rules/waiting.ts';
import type { JsonSchema } from '../../agent/definition/manifest.ts';
import { type OperatorDecision, effectOf, isAnswerFor, withoutToken } from '../../agent/rules/decisions.ts';
import type { GateCall } from '../../agent/rules/gate.ts';
import { needsPerson, waitingSummary } from '../../agent/rules/waiting.ts';
import { type WaitsTold, waitingChanges, waitsAfter } from '../../agent/run/waits-told.ts';
import type { Json, Usage } from '../../agent/values/vocabulary.ts';
import type { Emit } from './emit.ts';
import { recordTimer } from '../temporal/recorded-timer.ts';

/** What an open call is, beside its state. */
export interface OpenCallOptions {
  id: string;
  kind: 'model' | 'tool';
  /** Number of its first schedule, and of its first wait. */
  firstN: number;
  inputSchema?: JsonSchema | null | undefined;
  /** Of the run's answer, where a person may give that. */
  outputSchema?: JsonSchema | undefined;
  /** The clock that stands still while a person is waited for. */
  clock: { pause(): void; resume(): void };
  /** Tells of decisions, and of what waits within it. */
  emit?: Emit | undefined;
  /** Its sub-agent was cancelled, and had used up this. */
  onUsed?(usage: Usage): void;
  /** The call, or one within it, begins or ceases to wait. */
  onWaitingChange(): void;
}

export interface WaitOptions {
  /** What a decision that comes with a token has to bring. */
  token?: string | undefined;
  /** How long a person is waited for. Default: for ever. */
  timeoutMs?: number | undefined;
  /** In place of the tool's name in what is recorded. */
  figure?: string | undefined;
  /** What ends the wait beside a decision. */
  endsWhen?: (() => boolean) | undefined;
}

/** A call that the outside can speak to, over all its schedules. Its state is changed here and nowhere else. */
export class OpenCall implements GateCall {
  readonly id: string;
  readonly inputSchema: JsonSchema | null | undefined;
  readonly outputSchema: JsonSchema | undefined;
  readonly #options: OpenCallOptions;
  #n: number;
  #scope = new CancellationScope();
  #waitNumber: number;
  #waiting: WaitingCall | undefined;
  #token: string | undefined;
  #waitingWithin: WaitingCall[] = [];
  #decision: OperatorDecision | undefined;
  #kept: OperatorDecision[] = [];
  #checkpoint: Json | undefined;
  #intent: Intent | undefined;

  constructor(options: OpenCallOptions) {
    this.id = options.id;
    this.#n = options.firstN;
    this.#waitNumber = options.firstN;
    this.inputSchema = options.inputSchema;
    this.outputSchema = options.outputSchema;
    this.#options = options;
  }

  /** Number of the schedule under way. */
  get n(): number {
    return this.#n;
  }

  get isFirstSchedule(): boolean {
    return this.#n === this.#options.firstN;
  }

  /** The number of its wait, the next one's where it does not wait. */
  get waitNumber(): number {
    return this.#waitNumber;
  }

  get input(): Json | undefined {
    return this.#waiting?.toolInput;
  }

  get token(): string | undefined {
    return this.#token;
  }

  /** Cancellation scope of the schedule under way; cancelled with the call. */
  get scope(): CancellationScope {
    return this.#scope;
  }

  /** Stored by an earlier schedule. */
  get checkpoint(): Json | undefined {
    return this.#checkpoint;
  }

  /** Of the schedule under way, where it may take effect once only: its tool may have run. */
  get intent(): Intent | undefined {
    return this.#intent;
  }

  /** The runner of the n-th schedule is about to run its tool. */
  intend(n: number, intent: Intent): void {
    if (n === this.#n) this.#intent = intent;
  }

  get state(): GateCall['state'] {
    return { kind: this.#options.kind, waiting: this.#waiting?.reason, until: this.#waiting?.until };
  }

  get isDecided(): boolean {
    return this.#decision !== undefined;
  }

  /** All that wait for a person here: the call itself, and calls of its sub-agent. */
  get waits(): readonly WaitingCall[] {
    return this.#waiting === undefined ? this.#waitingWithin : [this.#waiting, ...this.#waitingWithin];
  }

  get waitingWithin(): string[] {
    return this.#waitingWithin.map(({ call }) => call);
  }

  /** A person's word, already found to fit. */
  decide(decision: OperatorDecision): void {
    const { type } = effectOf(decision);
    this.#options.emit?.({ type: 'decided', call: this.id, decision });
    if (type === 'none') return;
    this.#decision = decision;
    if (type === 'cancel') this.#scope.cancel();
  }

  get kept(): readonly OperatorDecision[] {
    return this.#kept;
  }

  /** An answer by token that comes before the call has deferred. */
  keep(answer: OperatorDecision): void {
    this.#kept.push(answer);
  }

  /** The kept answer to a call that defers with this token. The others are dropped. */
  takeKept(token: string | undefined): OperatorDecision | undefined {
    const answer = this.#kept.find((one) => isAnswerFor(token, one));
    this.#dropKept(answer);
    if (answer === undefined) return undefined;
    const decision = withoutToken(answer);
    this.#options.emit?.({ type: 'decided', call: this.id, decision });
    return decision;
  }

  #dropKept(used?: OperatorDecision): void {
    for (const answer of this.#kept.splice(0)) {
      if (answer !== used) log.warn(`An answer by token to call ${this.id}, which still ran, was not used.`);
    }
  }

  get #isCancelled(): boolean {
    return this.#decision !== undefined && effectOf(this.#decision).type === 'cancel';
  }

  /** The observation of a person's cancellation, given out once; undefined where nobody cancelled. */
  takeCancellation(): string | undefined {
    const effect = this.#decision && effectOf(this.#decision);
    if (effect?.type !== 'cancel') return undefined;
    this.#decision = undefined;
    return effect.observation;
  }

  /**
   * Waits until a person decides; undefined when nobody has in the time there is, or none has to any more. Cancelling the run ends the wait with its
   * CancelledFailure.
   */
  async wait(
    waiting: WaitingCall,
    { token, timeoutMs, figure, endsWhen }: WaitOptions = {},
  ): Promise<OperatorDecision | undefined> {
    const { clock, onWaitingChange } = this.#options;
    this.#waiting = waiting;
    this.#token = token;
    this.#decision = undefined;
    const stopsClock = needsPerson(waiting);
    if (stopsClock) clock.pause();
    const timer = recordTimer(waitingSummary(this.id, figure ?? waiting.tool, this.state), timeoutMs);
    onWaitingChange();
    try {
      await condition(() => this.#decision !== undefined || timer.over || endsWhen?.() === true);
    } finally {
      this.#waiting = undefined;
      this.#waitNumber++;
      timer.end();
      if (stopsClock) clock.resume();
      onWaitingChange();
    }
    const decision: OperatorDecision | undefined = this.#decision;
    this.#decision = undefined;
    return decision;
  }

  used(usage: Usage): void {
    this.#options.onUsed?.(usage);
  }

  /** Calls of the sub-agent begin or cease to wait. */
  waitsWithin(told: WaitsTold): void {
    this.#setWaitingWithin(waitsAfter(this.#waitingWithin, told));
  }

  /** A sub-agent's run is over, so none of its calls waits any more. */
  clearWaitingWithin(): void {
    if (this.#waitingWithin.length > 0) this.#setWaitingWithin([]);
  }

  /** The call is over: its clock is not left standing. */
  close(): void {
    this.clearWaitingWithin();
    this.#dropKept();
  }

  /** Prepares the call for its next schedule. */
  again(checkpoint: Json | undefined): void {
    this.#n++;
    this.#checkpoint = checkpoint;
    this.#intent = undefined;
    this.#scope = new CancellationScope();
    if (this.#isCancelled) this.#scope.cancel();
  }

  #setWaitingWithin(waiting: WaitingCall[]): void {
    const { clock, onWaitingChange } = this.#options;
    const waited = this.#waitingWithin.some(needsPerson);
    const waits = waiting.some(needsPerson);
    const before = this.#waitingWithin;
    this.#waitingWithin = waiting;
    for (const event of waitingChanges(before, waiting)) this.#options.emit?.(event);
    if (!waited && waits) clock.pause();
    if (waited && !waits) clock.resume();
    onWaitingChange();
  }
}
