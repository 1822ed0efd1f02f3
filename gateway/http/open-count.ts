/** Counts a request of a caller. Returns what ends it, once; undefined if the caller has too many. */
export type OpenCount = (caller: string) => (() => void) | undefined;

export function createOpenCount(most: number): OpenCount {
  const counts = new Map<string, number>();
  return (caller) => {
    const count = counts.get(caller) ?? 0;
    if (count >= most) return undefined;
    counts.set(caller, count + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const left = (counts.get(caller) ?? 1) - 1;
      if (left > 0) counts.set(caller, left);
      else counts.delete(caller);
    };
  };
}

/** Calls `close` now, or at the end of a stream. */
export function closedAtEnd(response: Response, close: () => void): Response {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (!isStream || response.body === null) {
    close();
    return response;
  }
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          controller.close();
        } catch (error) {
          controller.error(error);
        }
        close();
      },
      async cancel(reason) {
        close();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 }, // the stream behind knows when its reader wants more
  );
  return new Response(body, response);
}
