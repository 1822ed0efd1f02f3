/** Sends an entry with others. Resolves with its answer. Rejects if the message with it fails. */
export type Batches<Entry, Answer> = (entry: Entry) => Promise<Answer>;

interface Waiter<Entry, Answer> {
  entry: Entry;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/**
 * Makes messages of entries, one message at a time: entries that come while one is under way are the next one. `send` returns an answer
 * for each entry, in their order.
 */
export function createBatches<Entry, Answer>(
  send: (entries: Entry[]) => Promise<readonly Answer[]>,
  most: number,
): Batches<Entry, Answer> {
  const waiting: Waiter<Entry, Answer>[] = [];
  let isSending = false;

  async function sendAll(): Promise<void> {
    isSending = true;
    while (waiting.length > 0) await sendOne(waiting.splice(0, most));
    isSending = false;
  }

  async function sendOne(batch: Waiter<Entry, Answer>[]): Promise<void> {
    try {
      const answers = await send(batch.map(({ entry }) => entry));
      batch.forEach(({ resolve, reject }, index) => {
        const answer = answers[index];
        if (answer === undefined) reject(new Error('The message has no answer for the entry.'));
        else resolve(answer);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  return (entry) =>
    new Promise((resolve, reject) => {
      waiting.push({ entry, resolve, reject });
      if (!isSending) void sendAll();
    });
}
