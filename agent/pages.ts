/** One page of a history: events oldest first (or latest first, where asked so), and where to go on. */
export interface Page<E> {
  events: E[];
  next: Uint8Array | undefined;
}

/** Asks for a page of `size` transactions (not events: a transaction can hold many). */
export type FetchPage<E> = (token: Uint8Array | undefined, size: number) => Promise<Page<E>>;

/**
 * All events, page by page. A page whose bytes exceed what a connection takes is asked for again at half the size;
 * `tooLarge` tells that error from others.
 */
export async function* readPages<E>(
  fetch: FetchPage<E>,
  tooLarge: (error: unknown) => boolean,
  pageSize = 200,
): AsyncGenerator<E> {
  let token: Uint8Array | undefined;
  let size = pageSize;
  for (;;) {
    try {
      const page = await fetch(token, size);
      yield* page.events;
      if (page.next === undefined || page.next.length === 0) return;
      token = page.next;
    } catch (error) {
      if (!tooLarge(error) || size === 1) throw error;
      size = Math.ceil(size / 2);
    }
  }
}
