import type { ClientOptions } from 'openai';

type FetchOptions = NonNullable<ClientOptions['fetchOptions']>;

/** Where Node's `fetch` keeps the dispatcher that a program may replace, by a proxy for instance. */
const GLOBAL = Symbol.for('undici.globalDispatcher.1');

/**
 * Options for `fetch` that take away its own limits of 300 s without headers and 300 s without a byte: how long a model may
 * be silent is said by requestTimeout alone. Where Node keeps no such dispatcher, fetch stays as it is.
 */
export function patientFetch(): FetchOptions {
  // Node loads its fetch with the first class of it that is used.
  void Headers;
  // What stands under this symbol has one shape; nobody declares it.
  const shared = Reflect.get(globalThis, GLOBAL) as FetchOptions['dispatcher'];
  if (shared === undefined) return {};
  const dispatch: typeof shared.dispatch = (options, handler) =>
    shared.dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler);
  // Of a dispatcher fetch uses this one method.
  return { dispatcher: { dispatch } as typeof shared };
}
