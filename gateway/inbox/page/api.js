/** Requests to the gateway that serves the page. */

const base = new URL('..', import.meta.url);
const TOKEN = 'reloop-token';
/** The gateway sends something every 15 seconds. A stream that is silent for longer is dead. */
const SILENCE_MS = 40_000;
/** The last data of a stream of the AI SDK, which is no JSON. */
const DONE = '[DONE]';
const SHORTEST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 15_000;

/** A refused request. */
export class Problem extends Error {
  /**
   * @param {number} status
   * @param {string} detail
   */
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

/**
 * True if the same request would be refused again.
 * @param {unknown} error
 */
export function isRefusal(error) {
  return error instanceof Problem && error.status < 500 && error.status !== 429;
}

export function hasToken() {
  return sessionStorage.getItem(TOKEN) !== null;
}

/**
 * Keeps the token until the tab is closed. `undefined` forgets it.
 * @param {string | undefined} token
 */
export function setToken(token) {
  if (token === undefined) sessionStorage.removeItem(TOKEN);
  else sessionStorage.setItem(TOKEN, token);
}

/**
 * Path of a run, below the gateway's.
 * @param {string} id
 * @param {string} rest
 */
export function runPath(id, rest) {
  return `runs/${encodeURIComponent(id)}/${rest}`;
}

/**
 * Throws Problem for a refused request.
 * @param {string} path
 * @param {{ body?: object | undefined, signal?: AbortSignal | undefined }} [options] A request with a body is a POST.
 */
export async function ask(path, { body, signal } = {}) {
  const token = sessionStorage.getItem(TOKEN);
  const response = await fetch(new URL(path, base), {
    cache: 'no-store',
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  if (response.ok) return response;
  const problem = /** @type {{ detail?: unknown }} */ (await response.json().catch(() => ({})));
  const { detail } = problem;
  throw new Problem(response.status, typeof detail === 'string' ? detail : `HTTP ${response.status}`);
}

/** @typedef {{ event: string, data: unknown }} Message */

/**
 * Reads server-sent events until the signal, over all connections. Throws Problem for a refused request; after a break it connects again.
 * @param {string} path
 * @param {{ onOpen(): void, onMessage(message: Message): void, onBreak(): void, signal: AbortSignal }} reader
 */
export async function follow(path, { onOpen, onMessage, onBreak, signal }) {
  let delay = SHORTEST_RETRY_MS;
  while (!signal.aborted) {
    try {
      for await (const message of messagesOf(path, { signal, onOpen })) {
        delay = SHORTEST_RETRY_MS;
        onMessage(message);
      }
    } catch (error) {
      if (isRefusal(error)) throw error;
    }
    if (signal.aborted) return;
    onBreak();
    await pause(delay, signal);
    delay = Math.min(2 * delay, LONGEST_RETRY_MS);
  }
}

/**
 * Reads the server-sent events of one request, which is a POST where it has a body.
 * @param {string} path
 * @param {{ signal: AbortSignal, onOpen?: () => void, body?: object | undefined }} options
 * @returns {AsyncGenerator<Message>}
 */
export async function* messagesOf(path, { signal, onOpen, body: sent }) {
  const silence = new AbortController();
  const { body } = await ask(path, { body: sent, signal: AbortSignal.any([signal, silence.signal]) });
  if (body === null) return;
  onOpen?.();
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const timer = setTimeout(() => silence.abort(), SILENCE_MS);
    const { done, value } = await reader.read().finally(() => clearTimeout(timer));
    if (done) return;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const message = readMessage(block);
      if (message !== undefined) yield message;
    }
  }
}

/**
 * @param {string} block
 * @returns {Message | undefined} undefined for a comment
 */
export function readMessage(block) {
  const field = (/** @type {string} */ name) =>
    block
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  const data = field('data');
  return data === undefined || data === DONE
    ? undefined
    : { event: field('event') ?? 'message', data: JSON.parse(data) };
}

/**
 * Ends early when the page comes back to the front or to the network.
 * @param {number} ms
 * @param {AbortSignal} signal
 */
function pause(ms, signal) {
  return new Promise((resolve) => {
    const done = new AbortController();
    const end = () => {
      done.abort();
      resolve(undefined);
    };
    setTimeout(end, ms);
    const options = { signal: done.signal };
    document.addEventListener('visibilitychange', end, options);
    window.addEventListener('online', end, options);
    signal.addEventListener('abort', end, options);
  });
}
