import { CancellationScope, isCancellation } from '@temporalio/workflow';
import { LOST_CALL } from '../../agent/observation/observations.ts';
import { type SettleContext, settled } from '../../agent/run/run-calls.ts';
import type { OpenCall } from '../operator/open-call.ts';
import type { Step } from './turn.ts';

/** A call that runs while the model continues. */
export interface BackgroundCall {
  /** The iteration that made the call. */
  readonly iteration: number;
  readonly open: OpenCall;
  readonly scope: CancellationScope;
  /** The step that the model has: its observation is the ticket. */
  readonly ticket: Step;
  /** Resolves when the call is over, also where it fails. */
  over: Promise<void>;
  isOver: boolean;
  /** The step with the result, which no model call has carried. */
  step: Step | undefined;
}

/** The background calls of an agent: those under way, and those whose result the model has not been sent. */
export class BackgroundCalls {
  readonly #calls = new Set<BackgroundCall>();
  readonly #scope: CancellationScope;
  readonly #onFailure: () => void;
  #failure: { cause: unknown } | undefined;

  /** `scope`: that of the run. A rewind cancels the steps, and not the background calls of kept steps. `onFailure`: called when a call fails the run. */
  constructor(scope: CancellationScope, onFailure: () => void) {
    this.#scope = scope;
    this.#onFailure = onFailure;
  }

  /** There are calls: all others would be cancelled, or sent, for nothing. */
  get isEmpty(): boolean {
    return this.#calls.size === 0;
  }

  get all(): readonly BackgroundCall[] {
    return [...this.#calls];
  }

  find(ticket: string): BackgroundCall | undefined {
    return this.all.find((call) => call.ticket.entry.call === ticket);
  }

  /** A call is under way. */
  get isOpen(): boolean {
    return [...this.#calls].some(({ isOver }) => !isOver);
  }

  /** The model has not been sent the result of a call. */
  get hasResult(): boolean {
    return this.results.length > 0;
  }

  /** Makes the cancellation scope of a call. */
  newScope(): CancellationScope {
    return new CancellationScope({ parent: this.#scope, cancellable: true });
  }

  /** Starts a call in its scope. `run` resolves to the step with the result. */
  start(
    call: Pick<BackgroundCall, 'iteration' | 'open' | 'scope' | 'ticket'>,
    run: () => Promise<Step>,
  ): void {
    const started: BackgroundCall = { ...call, over: Promise.resolve(), isOver: false, step: undefined };
    this.#calls.add(started);
    started.over = call.scope
      .run(run)
      .then(
        (step) => void (started.step = step),
        (failure: unknown) => {
          if (isCancellation(failure) || call.scope.consideredCancelled) return;
          this.#failure ??= { cause: failure };
          this.#onFailure();
        },
      )
      .finally(() => void (started.isOver = true));
  }

  /** Throws the failure of a call that fails the run. */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure.cause;
  }

  /** Returns the failure of a call that has ended the run; otherwise `failure`. */
  failureOr(failure: unknown): unknown {
    return this.#failure === undefined ? failure : this.#failure.cause;
  }

  /** The steps with results that the model has not been sent. */
  get results(): Step[] {
    return [...this.#calls].flatMap(({ step }) => step ?? []);
  }

  /** Removes and returns the results for the next model call, in the order of the calls. */
  takeResults(): Step[] {
    return [...this.#calls].flatMap((call) => {
      if (call.step === undefined) return [];
      this.#calls.delete(call);
      // A call without a recorded result ends in history only with the model call that carries the result.
      call.open.apply({ type: 'observed', observation: call.step.entry.observation });
      return [call.step];
    });
  }

  /** Emits the ends that readers of the history derive at this point, because no model call shows them. */
  settle(context: SettleContext): void {
    for (const { open } of this.#calls) {
      const fact = settled(open.now, context);
      if (fact !== undefined) open.apply(fact);
    }
  }

  /** Cancels the calls of `iteration` and later ones. Resolves when they are over. */
  async stop(iteration = 0): Promise<void> {
    const calls = [...this.#calls].filter((call) => call.iteration >= iteration);
    for (const { scope } of calls) scope.cancel();
    await CancellationScope.nonCancellable(() => Promise.all(calls.map(({ over }) => over)));
  }

  /** Ids of earlier calls that are over without a result, because the run was about to fail: `3.1`. */
  lostBefore(iteration: number): string[] {
    const lostCalls = [...this.#calls].filter(
      (call) => call.iteration < iteration && call.isOver && call.step === undefined,
    );
    return lostCalls.map(({ open }) => open.id);
  }

  /**
   * Removes the calls of `iteration` and later ones. An earlier call that is over without a result, because the run was about to fail, gets a
   * result that says so.
   */
  rewound(iteration: number): void {
    this.#failure = undefined;
    for (const call of this.#calls) {
      if (call.iteration >= iteration) this.#calls.delete(call);
      else if (call.isOver) call.step ??= lost(call.ticket);
    }
  }
}

function lost({ entry: { ticket: _, ...entry }, ...step }: Step): Step {
  return { ...step, entry: { ...entry, observation: LOST_CALL } };
}
