import { CancellationScope, getExternalWorkflowHandle, workflowInfo } from '@temporalio/workflow';
import type { WaitingCall } from '../../agent/rules/waiting.ts';
import { type WaitsChange, waitsChange } from '../../agent/run/waits-change.ts';
import type { Usage } from '../../agent/values/vocabulary.ts';
import { childUsedSignal, childWaitingSignal } from '../messages.ts';
import type { AgentRunInput } from '../../agent/run/run-input.ts';

/**
 * Reports a run's waiting calls to its parent: of a sub-agent, whose parent's status and trace show them, or of a batch's run. One signal is under way at a time, so that signals
 * arrive in order; the next signal carries all changes since.
 */
export class ParentNews {
  readonly #caller: string | undefined;
  /** The call of the parent that this run is, or the number of its question in a batch. */
  readonly #sender: string | undefined;
  #reported: readonly WaitingCall[] = [];
  #now: readonly WaitingCall[] = [];
  #isSending = false;

  constructor({ caller, batchRow }: AgentRunInput) {
    const isChild = workflowInfo().parent !== undefined;
    this.#caller = isChild ? caller : undefined;
    this.#sender = isChild ? (caller ?? batchRow) : undefined;
  }

  /** No signal is under way. The server drops signals of a run's last task, so a run waits for this before it continues as new. */
  get isSent(): boolean {
    return !this.#isSending;
  }

  report(waiting: readonly WaitingCall[]): void {
    this.#now = waiting;
    void this.#sendChanges();
  }

  /** Reports the usage of a cancelled run to the parent. Resolves when the parent has the signal, so that the run may close. */
  async reportUsage(usage: Usage): Promise<void> {
    const caller = this.#caller;
    if (caller === undefined || usage.modelCalls === 0) return;
    const send = () => parentRun().signal(childUsedSignal, { caller, usage });
    await CancellationScope.nonCancellable(send).catch(() => undefined); // the parent is closed
  }

  async #sendChanges(): Promise<void> {
    if (this.#sender === undefined || this.#isSending) return;
    const news = waitsChange(this.#sender, this.#reported, this.#now);
    this.#reported = this.#now;
    if (news !== undefined) await this.#send(news);
  }

  async #send(news: WaitsChange): Promise<void> {
    this.#isSending = true;
    try {
      // A cancelled scope ends its waits, and the parent has to know.
      await CancellationScope.nonCancellable(() => parentRun().signal(childWaitingSignal, news));
    } catch {
      // the parent is closed
    } finally {
      this.#isSending = false;
    }
    await this.#sendChanges();
  }
}

function parentRun() {
  return getExternalWorkflowHandle(workflowInfo().parent?.workflowId ?? '');
}
