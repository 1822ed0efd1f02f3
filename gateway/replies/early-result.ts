/**
 * Time for which a response is held back, so that it gets its own status. Proxies and clients give up on a silent response: Heroku's router
 * after 30 s, nginx and most load balancers after 60 s, the `fetch` of Node (undici) after 300 s.
 */
const HELD_BACK_MS = 20_000;

/** Resolves with the result as `[value]` if it comes in time, otherwise with undefined. Rejects with an error that comes in time. */
export async function earlyResult<T>(result: Promise<T>, ms = HELD_BACK_MS): Promise<[T] | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  try {
    return await Promise.race([result.then((value): [T] => [value]), late]);
  } finally {
    clearTimeout(timer);
  }
}
