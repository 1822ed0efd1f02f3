import type { Client } from '@temporalio/client';
import { fieldOf, isAsyncIterable } from '../../agent/values/values.ts';
import { connectionEnd } from '../../history/read/connection-end.ts';
import { wrappedGrpcCode } from '../../history/read/pages.ts';
import { closeChannel } from '../../features/live/subscription.ts';
import { ClientClosed, DecisionRefused, RunNotTaking, TemporalUnreachable } from './errors.ts';

/** Ends an open call. Resolves when the call has no request under way. */
type EndCall = () => Promise<unknown>;

/** Open calls of each connection. Clients with one connection are closed together. */
const openCalls = new WeakMap<object, Set<EndCall>>();

function openCallsOf({ connection }: Client): Set<EndCall> {
  const known = openCalls.get(connection);
  if (known !== undefined) return known;
  const calls = new Set<EndCall>();
  openCalls.set(connection, calls);
  return calls;
}

/**
 * Ends all calls over the client's connection and waits for them. A request that outlives its connection throws from a
 * timer of gRPC's, where no code can catch the error.
 */
export async function endCalls(client: Client): Promise<void> {
  connectionEnd(client).abort();
  await Promise.allSettled([...openCallsOf(client)].map((end) => end()));
  await closeChannel(client);
}

/**
 * Wraps all public methods of a class: `endCalls` ends their open requests, and the errors of a server that cannot be
 * reached, or that takes no message for a run, become ours. Methods that return neither a promise nor an async generator
 * stay unchanged. Called in a static block, with `this`: bundlers move the name of a class.
 */
export function openMethods<T extends object>(
  { prototype }: { prototype: T },
  clientOf: (self: T) => Client,
  except: readonly string[] = [],
): void {
  for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    const method: unknown = descriptor.value;
    if (typeof method !== 'function' || name === 'constructor' || except.includes(name)) continue;
    const open = function (this: T, ...args: unknown[]): unknown {
      const answer: unknown = Reflect.apply(method, this, args);
      // The only iterables that the methods return are generators.
      if (isAsyncIterable(answer)) return openGenerator(clientOf(this), answer as AsyncGenerator);
      const isPromise = typeof fieldOf(answer, 'then') === 'function';
      return isPromise ? openPromise(clientOf(this), answer as Promise<unknown>) : answer;
    };
    Object.defineProperty(prototype, name, { value: open, writable: true, configurable: true });
  }
}

/** The same for one promise. */
export async function openPromise<R>(client: Client, answer: Promise<R>): Promise<R> {
  const calls = openCallsOf(client);
  const end = () => answer;
  calls.add(end);
  try {
    return await answer;
  } catch (error) {
    throw toClientError(client, error);
  } finally {
    calls.delete(end);
  }
}

/** The same for one generator. A generator may request the next item also while its reader does something else. */
export async function* openGenerator<R>(client: Client, source: AsyncGenerator<R>): AsyncGenerator<R> {
  const calls = openCallsOf(client);
  const end = () => source.return(undefined);
  calls.add(end);
  try {
    for (;;) {
      connectionEnd(client).signal.throwIfAborted();
      const next = await source.next();
      if (next.done === true) return;
      yield next.value;
    }
  } catch (error) {
    throw toClientError(client, error);
  } finally {
    calls.delete(end);
    await end();
  }
}

const UNAVAILABLE = 14;
const DEADLINE_EXCEEDED = 4;
/** The server's answer to a message for a run whose workflow task has failed three times in a row. */
const FAILED_PRECONDITION = 9;

/** Returns true for the server's answer to a message for a run whose workflow task keeps failing. */
export const isNotReady = (error: unknown): boolean => wrappedGrpcCode(error) === FAILED_PRECONDITION;

/** Returns true for an update that the server has dropped together with the workflow task that brought it. */
export const isDroppedWithTask = (error: unknown): boolean =>
  isNotReady(error) && wordsOf(error).includes('unexpected workflow task failure');

function toClientError(client: Client, error: unknown): unknown {
  // A method of ours that this one has called threw it.
  if (
    [ClientClosed, TemporalUnreachable, DecisionRefused, RunNotTaking].some((known) => error instanceof known)
  )
    return error;
  if (connectionEnd(client).signal.aborted) return new ClientClosed({ cause: error });
  const code = wrappedGrpcCode(error);
  if (isNotReady(error)) return new DecisionRefused(whyNotReady(error), { cause: error });
  if (code !== UNAVAILABLE && code !== DEADLINE_EXCEEDED) return error;
  return new TemporalUnreachable(
    `The Temporal server${addressOf(client)} does not answer (any more). What is recorded stays, and runs continue when it is back: call again then.`,
    { cause: error },
  );
}

const NOT_READY =
  'The run takes no decisions and messages now: its workers have died or failed several times in a row. Nothing was changed. Try again when a worker has continued the run; the log of a worker may say why it has not.';

const PAUSED =
  'The run is paused in Temporal, so it takes no decisions and messages. Nothing was changed. `temporal workflow unpause` lets it continue: try again then.';

const TOO_MANY =
  'This execution has taken as many decisions and messages as the server allows. Nothing was changed. A run takes more when it has continued as new, between two turns, and a session after the answer under way. A run that waits can be cancelled and retried: its steps stay.';

/** The refusals have one status code; these are the server's texts, of Temporal 1.32.0. */
function whyNotReady(error: unknown): string {
  const words = wordsOf(error);
  if (words.includes('Workflow is paused')) return PAUSED;
  return words.includes('limit on the total number of distinct updates') ? TOO_MANY : NOT_READY;
}

/** All that a gRPC error says. Of an update with start, `details` is the same for every reason, and the message has it. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return [error.message, fieldOf(error, 'details'), wordsOf(error.cause)].join('\n');
}

function addressOf({ connection }: Client): string {
  const address = fieldOf(fieldOf(connection, 'options'), 'address');
  return typeof address === 'string' ? ` at ${address}` : '';
}
