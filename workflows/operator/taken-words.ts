import { ApplicationFailure, currentUpdateInfo } from '@temporalio/workflow';
import { limits } from '../../agent/values/limits.ts';
import { ALREADY_TAKEN } from '../messages.ts';
import type { TakenWord } from '../../agent/run/run-input.ts';

/**
 * Decisions and messages that the run has taken lately. Temporal's client repeats an update whose answer was lost, and an execution knows
 * its own updates only: after a continue-as-new or a restart, the repetition would be taken again, or refused.
 */
export class TakenWords {
  readonly #taken: TakenWord[];
  #counted = 0;

  /** `earlier`: decisions and messages that earlier executions have taken. */
  constructor(earlier: readonly TakenWord[] = []) {
    this.#taken = [...earlier];
  }

  /** Called by a validator. Throws if an earlier execution has taken the update: the failure has the receipt, and history no event. */
  checkRepetition(): void {
    const updateId = currentUpdateInfo()?.id;
    const word = this.#taken.find((one) => one.updateId === updateId);
    if (word === undefined) return;
    throw ApplicationFailure.create({
      type: ALREADY_TAKEN,
      message: 'The run has taken this already.',
      details: [word.receipt],
      nonRetryable: true,
    });
  }

  /** Decisions and messages that this execution has accepted. */
  get counted(): number {
    return this.#counted;
  }

  /** Called once by a handler. Temporal counts an accepted update also where `authorize` refuses it then. */
  count(): void {
    this.#counted++;
  }

  /** Called by a handler. Notes the update as taken, and returns the receipt. */
  withReceipt<R extends TakenWord['receipt']>(receipt: R): R {
    const updateId = currentUpdateInfo()?.id;
    if (updateId !== undefined) this.#taken.push({ updateId, at: Date.now(), receipt });
    return receipt;
  }

  /** The decisions and messages that may still be repeated; undefined without any. */
  repeatable(): TakenWord[] | undefined {
    const recent = this.#taken.filter(({ at }) => at > Date.now() - limits.repetitionMs);
    return recent.length === 0 ? undefined : recent;
  }
}
