import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { channelOf, nameOf } from './brokers.ts';
import { ASK_TOPIC, type BrokerChannel, type LiveOption, topicOf } from './live-channel.ts';
import { readLocally } from './local-topics.ts';
import { reportOutages } from './outage.ts';
import type { LivePiece } from '../../agent/live-text/live-piece.ts';
import { readPiece } from './message.ts';

interface ReadChannel {
  channel: BrokerChannel;
  failed(error: unknown): void;
  /** Runs that are read now. */
  readers: number;
  idle?: NodeJS.Timeout;
}

/** The channel of each connection. Clients of one connection share it. */
const channels = new WeakMap<object, ReadChannel>();

/** Most pieces that wait for a slow reader; further ones are dropped. */
const MOST_WAITING = 2_000;
const TRY_AGAIN_MS = 2_000;
/** A connection without readers is closed after so long. */
const IDLE_MS = 5_000;

/** Has the readers of a client's connection read a channel too. The channel is connected when the first run is read. */
export function readFrom(
  { connection }: Pick<Client, 'connection'>,
  option: LiveOption,
  onWarning: (text: string) => void = (text) => process.emitWarning(text),
): void {
  const failed = reportOutages(nameOf(option), onWarning);
  channels.set(connection, { channel: channelOf(option, failed), failed, readers: 0 });
}

/** Ends the connections of the client's channel. */
export async function closeChannel({ connection }: Pick<Client, 'connection'>): Promise<void> {
  const found = channels.get(connection);
  await found?.channel.close().catch(found.failed);
}

/** Pieces of a run's texts, as they come, until `signal` aborts. Never throws: readers have heartbeats too. */
export async function* livePieces(
  client: Client,
  workflowId: string,
  signal: AbortSignal,
): AsyncGenerator<LivePiece[]> {
  let waiting: LivePiece[] = [];
  let wake: () => void = () => undefined;
  const add = (pieces: readonly LivePiece[]) => {
    if (waiting.length < MOST_WAITING) waiting.push(...pieces);
    wake();
  };
  const topic = topicOf(workflowId);
  const leave = readLocally(topic, add);
  const found = channels.get(client.connection);
  if (found !== undefined) {
    const onMessage = (message: string) =>
      void readPiece(client, message).then((piece) => piece && add([piece]));
    void readRemotely(found, topic, signal, onMessage);
  }
  const onAbort = () => wake();
  signal.addEventListener('abort', onAbort);
  try {
    while (!signal.aborted) {
      if (waiting.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      const pieces = waiting;
      waiting = [];
      if (pieces.length > 0 && !signal.aborted) yield pieces;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    leave();
  }
}

/** Reads a topic of the channel until `signal` aborts. Never rejects. */
async function readRemotely(
  read: ReadChannel,
  topic: string,
  signal: AbortSignal,
  onMessage: (message: string) => void,
): Promise<void> {
  clearTimeout(read.idle);
  read.readers++;
  const unsubscribe = await subscribed(read, topic, signal, onMessage);
  if (!signal.aborted)
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  // A connection that was lost has no subscription to end.
  await unsubscribe?.().catch(() => undefined);
  read.readers--;
  if (read.readers > 0) return;
  const close = () => void read.channel.close().catch(read.failed);
  read.idle = setTimeout(close, IDLE_MS).unref();
}

/** Tries until the channel has subscribed. undefined: `signal` aborted before. */
async function subscribed(
  { channel, failed }: ReadChannel,
  topic: string,
  signal: AbortSignal,
  onMessage: (message: string) => void,
): Promise<(() => Promise<unknown>) | undefined> {
  while (!signal.aborted) {
    try {
      const unsubscribe = await channel.subscribe(topic, onMessage);
      // The next heartbeat has the text, if there is no answer.
      channel.publish(ASK_TOPIC, topic).catch((error: unknown) => signal.aborted || failed(error));
      return unsubscribe;
    } catch (error) {
      if (signal.aborted) break;
      failed(error);
      await sleep(TRY_AGAIN_MS, undefined, { ref: false, signal }).catch(() => undefined);
    }
  }
  return undefined;
}
