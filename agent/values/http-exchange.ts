/** Facts and texts about HTTP exchanges that models and tools share. */

/** The error that a status stands for, as the names of our errors end: `ModelNotFound`, `ToolNotFound`. */
export function problemOfStatus(status: number) {
  switch (status) {
    case 401:
      return 'AuthenticationError';
    case 403:
      return 'PermissionDenied';
    case 404:
      return 'NotFound';
    case 408:
      return 'Timeout';
    case 429:
      return 'RateLimited';
    default:
      return status >= 500 ? 'ServerError' : 'BadRequest';
  }
}

/** The reason why a connection failed; `fetch` hides it in the cause. */
export function connectionProblem(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.cause instanceof Error ? connectionProblem(error.cause) : error.message;
}

/** Errors before a connection: nothing was sent. */
const NEVER_SENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** True if the request certainly did not reach anybody. `reason`: from `connectionProblem`. */
export function wasNeverSent(reason: string): boolean {
  return NEVER_SENT.has(reason);
}

interface Decoder {
  decode(bytes?: Uint8Array, options?: { stream: boolean }): string;
}

/** The text of a body's first bytes. `cut`: the body has more of them, which are not fetched. */
export async function firstText(
  body: AsyncIterable<Uint8Array> | ReadableStream | null,
  maxBytes: number,
  decoder: Decoder,
  onPiece?: () => void,
): Promise<{ text: string; cut: boolean }> {
  let text = '';
  let room = maxBytes;
  // The web's type of a stream says nothing of its pieces; those of a body are bytes.
  for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
    onPiece?.();
    text += decoder.decode(piece.subarray(0, room), { stream: true });
    room -= piece.byteLength;
    if (room < 0) return { text, cut: true }; // leaving the loop closes the connection
  }
  return { text: text + decoder.decode(), cut: false };
}
