/** Token of a deferred call, for an answer without the run's id. */
export interface DeferToken {
  /** Workflow id. */
  id: string;
  /** `3.1`, in a later runAgent of one workflow `1/3.1`. */
  call: string;
  /** Nobody can guess it. */
  secret: string;
}

/** One word, of characters that URLs may have. */
export function writeToken({ secret, call, id }: DeferToken): string {
  return [secret, call, id].map(encodeURIComponent).join(':');
}

/** undefined for a value that is not a token. */
export function readToken(text: string): DeferToken | undefined {
  try {
    const [secret = '', call = '', id = '', ...more] = text.split(':').map(decodeURIComponent);
    const isToken = /^[\da-f]{32}$/u.test(secret) && call !== '' && id !== '' && more.length === 0;
    return isToken ? { secret, call, id } : undefined;
  } catch {
    return undefined; // it is not even well encoded
  }
}
