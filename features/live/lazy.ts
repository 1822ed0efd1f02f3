/** A connection that is made when it is first needed, and again after it failed or was closed. */
export interface Lazy<T> {
  get(): Promise<T>;
  close(): Promise<void>;
}

export function lazy<T>(connect: () => Promise<T>, end: (connection: T) => unknown): Lazy<T> {
  let current: Promise<T> | undefined;
  return {
    get() {
      if (current !== undefined) return current;
      const opened = connect();
      current = opened;
      opened.catch(() => (current === opened ? (current = undefined) : undefined));
      return opened;
    },
    async close() {
      const open = current;
      current = undefined;
      const connection = await open?.catch(() => undefined);
      if (connection !== undefined) await end(connection);
    },
  };
}
