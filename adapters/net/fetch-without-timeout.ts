import type { Dispatcher } from 'undici';

/** Key of the global dispatcher of Node's `fetch`, which a program may replace, by a proxy for instance. */
const GLOBAL = Symbol.for('undici.globalDispatcher.1');

// Node loads its fetch, and makes that dispatcher, with the first class of it that is used; the package undici would otherwise put
// its own there.
void Headers;

/**
 * Asks as Node's `fetch` does, without its limits of 300 s until the headers and 300 s without a byte (undici's `headersTimeout` and
 * `bodyTimeout`). The time that a request may take is said by its signal alone. For the provider packages of the AI SDK, whose models
 * may be silent for longer: `createOpenAI({ fetch: fetchWithoutTimeout })`.
 */
export const fetchWithoutTimeout: typeof fetch = (input, init) => {
  const dispatcher = noTimeoutDispatcher();
  // Node's types of a dispatcher and the package's are of different versions.
  const patient: object = dispatcher === undefined ? {} : { dispatcher };
  return fetch(input, { ...init, ...patient });
};

/** The dispatcher of Node's `fetch` without those limits. undefined where Node keeps no such dispatcher. */
export function noTimeoutDispatcher(): Dispatcher | undefined {
  // The value under this symbol has one shape, which no package declares.
  const shared = Reflect.get(globalThis, GLOBAL) as Dispatcher | undefined;
  if (shared === undefined) return undefined;
  const dispatch: Dispatcher['dispatch'] = (options, handler) => {
    // `request` of undici 6 leaves its own option among them, which undici 8, of Node 26, refuses.
    const limits = { headersTimeout: 0, bodyTimeout: 0, dispatcher: undefined };
    return shared.dispatch({ ...options, ...limits }, handler);
  };
  // A request uses only this method of a dispatcher.
  return { dispatch } as Dispatcher;
}
