import { type RestartedEvent, isDropped } from '../calls/restart.ts';
import type { RunEvent } from '../run/events.ts';
import { type WaitingCall, isOfOwnModelCall, needsPerson } from '../rules/waiting.ts';

/** `asked`: the model is at work, or is asked next. `acting`: its calls are carried out. `answered`: only background calls are left. */
type Phase = 'asked' | 'acting' | 'answered';

/**
 * Finds the waits that hold a run up, from its events. A background call that waits for a person does not hold the run up while the model or
 * another call of the turn continues.
 */
export class RunHalt {
  #phase: Phase = 'asked';
  /** Tool calls without a result. true: a background call. */
  readonly #open = new Map<string, boolean>();

  add(event: RunEvent): void {
    switch (event.type) {
      case 'model_started':
        this.#phase = 'asked';
        return;
      case 'model_ended':
        this.#phase = phaseAfter(event.turn.decision.type);
        return;
      case 'action':
        this.#open.set(event.call, event.background === true);
        return;
      case 'tool_started':
        // A turn that is resumed after a restart has no new reply.
        if (this.#open.get(event.call) === false) this.#phase = 'acting';
        return;
      case 'step':
        this.#open.delete(event.step.call);
        return;
      case 'steered':
        // The model is asked with the message, if no limit is reached.
        if (event.message.type === 'say' && this.#phase === 'answered') this.#phase = 'acting';
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
    const held = calls.map(waitsOf);
    return held.every((found) => found.length > 0) ? held.flat() : [];
  }

  /** The background calls of another run are over. */
  #restart(event: RestartedEvent): void {
    const isSameRun = event.from.runId === event.runId;
    for (const [call, isBackground] of this.#open)
      if (isDropped(call, event) || (isBackground && !isSameRun)) this.#open.delete(call);
    this.#phase = 'asked';
  }
}

function phaseAfter(decision: 'act' | 'finish' | 'fail' | 'stop' | 'compact'): Phase {
  if (decision === 'act') return 'acting';
  return decision === 'compact' ? 'asked' : 'answered';
}
