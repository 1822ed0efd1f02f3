/** Token of a deferred call, for an answer without the run's id. */
export interface DeferToken {
  /** Workflow id. */
  id: string;
  /** `3.1`, in a later runAgent of one workflow `1/3.1`. */
  call: string;
  /** Random text that cannot be guessed. */
  secret: string;
  /** Signature over the rest of the token, by a worker with a key. The run does not know the signature. */
  signature?: string | undefined;
}

/** The token as one text, of characters that URLs may have. */
export function writeToken({ secret, call, id, signature }: DeferToken): string {
  const parts = [secret, call, id, ...(signature === undefined ? [] : [signature])];
  return parts.map(encodeURIComponent).join(':');
}

/** undefined for a value that is not a token. */
export function readToken(text: string): DeferToken | undefined {
  try {
    const [secret = '', call = '', id = '', signature, ...more] = text.split(':').map(decodeURIComponent);
    const isToken = /^[\da-f]{32}$/u.test(secret) && call !== '' && id !== '' && more.length === 0;
    if (!isToken) return undefined;
    return { secret, call, id, ...(signature !== undefined && { signature }) };
  } catch {
    return undefined; // it is not even well encoded
  }
}
