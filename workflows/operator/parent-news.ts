import { CancellationScope, getExternalWorkflowHandle, workflowInfo } from '@temporalio/workflow';
import type { WaitingCall } from '../../agent/rules/waiting.ts';
import { type WaitsTold, waitsToTell } from '../../agent/run/waits-told.ts';
import type { Usage } from '../../agent/values/vocabulary.ts';
import { type AgentRunInput, childUsedSignal, childWaitingSignal } from '../messages.ts';

/**
 * Tells the parent of a sub-agent which calls wait, so that the parent's own status and trace show them. One signal is under
 * way at a time: signals arrive in order, and one of them carries all changes that came meanwhile.
 */
export class ParentNews {
  readonly #caller: string | undefined;
  #told: readonly WaitingCall[] = [];
  #now: readonly WaitingCall[] = [];
  #isSending = false;

  constructor({ caller }: AgentRunInput) {
    this.#caller = workflowInfo().parent === undefined ? undefined : caller;
  }

  /** The server drops signals that a run sends in its last task: a run that continues as new waits until they have arrived. */
  get isTold(): boolean {
    return !this.#isSending;
  }

  tell(waiting: readonly WaitingCall[]): void {
    this.#now = waiting;
    void this.#sendChanges();
  }

  /** Tells the parent the usage of a cancelled run. Resolves when the parent has the signal, so that the run may close. */
  async tellUsed(usage: Usage): Promise<void> {
    const caller = this.#caller;
    if (caller === undefined || usage.modelCalls === 0) return;
    const tell = () => parentRun().signal(childUsedSignal, { caller, usage });
    await CancellationScope.nonCancellable(tell).catch(() => undefined); // a parent that is gone counts nothing
  }

  async #sendChanges(): Promise<void> {
    if (this.#caller === undefined || this.#isSending) return;
    const news = waitsToTell(this.#caller, this.#told, this.#now);
    this.#told = this.#now;
    if (news !== undefined) await this.#send(news);
  }

  async #send(news: WaitsTold): Promise<void> {
    this.#isSending = true;
    try {
      // Waits end too where their scope is cancelled.
      await CancellationScope.nonCancellable(() => parentRun().signal(childWaitingSignal, news));
    } catch {
      // A parent that is gone needs no news.
    } finally {
      this.#isSending = false;
    }
    await this.#sendChanges();
  }
}

function parentRun() {
  return getExternalWorkflowHandle(workflowInfo().parent?.workflowId ?? '');
}
