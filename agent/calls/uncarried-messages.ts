import type { CallModelInput } from './calls.ts';

/**
 * Messages of people that no model call has carried. Updates of one workflow task may complete in history after the model call that the task
 * schedules, so a model call may carry a message before the record has the message.
 */
export class UncarriedMessages {
  #texts: string[] = [];
  /** Messages that only a summary's model call has carried: the next call carries its entries again. */
  #summarized: string[] = [];
  /** Messages that the last model call has carried, and that were not received. */
  #early: string[] = [];
  /** Length of the transcript that model calls have been sent, by scope. A repeated model call is sent the same entries again. */
  readonly #sent = new Map<number, number>();

  /** Messages that the next model call carries. */
  get next(): readonly string[] {
    return [...this.#summarized, ...this.#texts];
  }

  /** Messages that no model call has carried, not even one of a summary. */
  get unheard(): readonly string[] {
    return this.#texts;
  }

  receive(text: string): void {
    if (!remove(this.#early, text)) this.#texts.push(text);
  }

  /** A model call of this scope was scheduled. The new entries of its input have the messages that the model sees. */
  carry(scope: number, { base, delta, compact }: Pick<CallModelInput, 'base' | 'delta' | 'compact'>): void {
    const carried = carriedMessages({ base, delta }, this.#sent.get(scope));
    this.#summarized = compact === true ? [...this.#summarized, ...carried] : [];
    this.#early = carried.filter((text) => !remove(this.#texts, text));
    this.#sent.set(scope, base + delta.length);
  }

  clear(): void {
    this.#texts = [];
    this.#summarized = [];
    this.#early = [];
  }

  /** The next model call is sent entries from an earlier step on. */
  rewind(): void {
    this.#sent.clear();
  }
}

/** Returns people's messages in the entries of a model call that no earlier call carried. `sent`: length of the transcript that these carried. */
export function carriedMessages({ base, delta }: Pick<CallModelInput, 'base' | 'delta'>, sent = 0): string[] {
  return delta
    .slice(Math.max(0, sent - base))
    .flatMap((entry) => (entry.type === 'message' && entry.role === undefined ? [entry.text] : []));
}

/** Removes the first text of this kind from the list. Returns false without one. */
function remove(texts: string[], text: string): boolean {
  const index = texts.indexOf(text);
  if (index >= 0) texts.splice(index, 1);
  return index >= 0;
}
