/** What happens, taken one after the other by the one who asks. */
export interface Mailbox<T> {
  put(item: T): void;
  take(): Promise<T>;
}

export function createMailbox<T>(): Mailbox<T> {
  const items: T[] = [];
  let wake: (() => void) | undefined;
  return {
    put(item) {
      items.push(item);
      wake?.();
    },
    async take() {
      for (;;) {
        const [item] = items.splice(0, 1);
        if (item !== undefined) return item;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
