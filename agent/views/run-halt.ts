import { type RestartedEvent, isDropped } from '../calls/restart.ts';
import type { RunEvent } from '../run/events.ts';
import { effectOf } from '../rules/decisions.ts';
import { type WaitingCall, isOfOwnModelCall, needsPerson } from '../rules/waiting.ts';

/** `asked`: the model is at work, or is asked next. `acting`: its calls are carried out. `answered`: only background calls are left. */
type Phase = 'asked' | 'acting' | 'answered';

/**
 * Finds the waits that hold a run up, from its events. A background call that waits for a person does not hold the run up while the model or
 * another call of the turn continues.
 */
export class RunHalt {
  #phase: Phase = 'asked';
  /** A person has sent a message since the last model call began, which has not seen the message. */
  #isTold = false;
  /** Tool calls without a result. true: a background call. */
  readonly #open = new Map<string, boolean>();
  /** Cancelled calls. They end without a decision, and the step of some comes with the next model call only. */
  readonly #cancelled = new Set<string>();

  add(event: RunEvent): void {
    switch (event.type) {
      case 'model_started':
        this.#phase = 'asked';
        this.#isTold = false;
        return;
      case 'model_ended':
        this.#phase = this.#isTold ? 'acting' : phaseAfter(event.turn.decision.type);
        return;
      case 'model_failed':
        // The call waits for a person, or the run ends when its background calls are over.
        this.#phase = 'acting';
        return;
      case 'unanswered':
        return this.#over(event.call);
      case 'decided':
        if (effectOf(event.decision).type === 'cancel') this.#cancelled.add(event.call);
        return;
      case 'action':
        this.#open.set(event.call, event.background === true);
        return;
      case 'tool_started':
        // A turn that is resumed after a restart has no new reply.
        if (this.#open.get(event.call) === false) this.#phase = 'acting';
        return;
      case 'step':
        return this.#over(event.step.call);
      case 'steered':
        if (event.message.type !== 'say') return;
        this.#isTold = true;
        // The model is asked with the message, if no limit is reached.
        if (this.#phase === 'answered') this.#phase = 'acting';
        return;
      case 'restarted':
        return this.#restart(event);
      default:
        return;
    }
  }

  /**
   * Returns those of the waits for a person that have to end before the run continues; none: the run works. `isStill`: nothing has happened for
   * some seconds, so that a run whose turn is over waits for its background calls.
   */
  heldUpBy(waiting: readonly WaitingCall[], isStill = false): WaitingCall[] {
    const waits = waiting.filter(needsPerson);
    const ofModel = waits.filter(isOfOwnModelCall);
    if (ofModel.length > 0 || this.#phase === 'asked') return ofModel;
    const ofTurn = [...this.#open].flatMap(([call, isBackground]) => (isBackground ? [] : [call]));
    const isOver = this.#phase === 'answered' || (isStill && ofTurn.length === 0);
    const calls = isOver ? [...this.#open.keys()] : ofTurn;
    // A sub-agent's call that waits is a wait of the call that runs the sub-agent.
    const waitsOf = (call: string) => waits.filter((wait) => `${wait.call}/`.startsWith(`${call}/`));
    const held = calls.map((call) => ({ found: waitsOf(call), isCancelled: this.#cancelled.has(call) }));
    return held.every(({ found, isCancelled }) => found.length > 0 || isCancelled)
      ? held.flatMap(({ found }) => found)
      : [];
  }

  #over(call: string): void {
    this.#open.delete(call);
    this.#cancelled.delete(call);
  }

  /** The background calls of another run are over. A turn that is resumed has no new `action`: its calls count as calls of the turn. */
  #restart(event: RestartedEvent): void {
    const { again = [], from, runId } = event;
    for (const [call, isBackground] of this.#open)
      if (isDropped(call, event) || (isBackground && from.runId !== runId)) this.#over(call);
    for (const call of again) this.#open.set(call, false);
    this.#phase = again.length > 0 ? 'acting' : 'asked';
  }
}

function phaseAfter(decision: 'act' | 'finish' | 'fail' | 'stop' | 'compact'): Phase {
  // The run may wait at its limit after `stop`.
  if (decision === 'act' || decision === 'stop') return 'acting';
  return decision === 'finish' ? 'answered' : 'asked';
}
