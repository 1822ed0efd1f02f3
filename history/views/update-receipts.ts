import type { Client } from '@temporalio/client';
import { limits } from '../../agent/values/limits.ts';
import type { Fact } from '../read/fact.ts';
import { readFacts } from '../read/facts.ts';
import { partsUpTo } from '../read/lineage.ts';
import { asReceipt } from '../read/records.ts';
import type { TakenWord } from '../../agent/run/run-input.ts';

/** Collects the decisions and messages that a run took last, which Temporal's client may still repeat. */
export class RecentUpdates {
  #words: { updateId: string; at: number; receipt: () => Promise<unknown> }[] = [];

  next(fact: Fact): void {
    this.#words = this.#words.filter(({ at }) => at > fact.at - limits.repetitionMs);
    if (fact.type !== 'update_completed' || fact.result === undefined) return;
    this.#words.push({ updateId: fact.updateId, at: fact.at, receipt: fact.result });
  }

  async recent(): Promise<TakenWord[]> {
    const words = await Promise.all(
      this.#words.map(async ({ receipt, ...word }) => ({ ...word, receipt: asReceipt(await receipt()) })),
    );
    return words.flatMap(({ receipt, ...word }) => (receipt === undefined ? [] : [{ ...word, receipt }]));
  }
}

/**
 * The receipt of an update that a run which is over took in any of its executions; undefined: the run did not take the update. A rewind
 * of the run meanwhile may have dropped the steps with the update; it was taken all the same.
 */
export async function recordedReceipt(
  client: Client,
  workflowId: string,
  updateId: string,
): Promise<TakenWord['receipt'] | undefined> {
  const { runId } = await client.workflow.getHandle(workflowId).describe();
  const parts = await partsUpTo(client, { workflowId, runId });
  for (const { run } of parts.toReversed()) {
    for await (const fact of readFacts(client, run)) {
      if (fact.type === 'update_completed' && fact.updateId === updateId)
        return asReceipt(await fact.result?.());
    }
  }
  return undefined;
}
