import type { Client } from '@temporalio/client';
import { channelOf, nameOf } from './brokers.ts';
import type { LiveOption } from './live-channel.ts';
import { isReadLocally, publishLocally } from './local-readers.ts';
import { reportOutages } from './outage.ts';
import type { LivePiece } from '../agent/live-text/live-piece.ts';
import { writePiece } from './message.ts';

/** Publishes what attempts write. Neither method waits or throws. */
export interface LivePublisher {
  /** Returns false if nobody can receive pieces of the topic. */
  hasReaders(topic: string): boolean;
  /** `client`: its codecs encrypt the pieces. */
  publish(client: Pick<Client, 'options'>, topic: string, pieces: readonly LivePiece[]): void;
}

/** Most messages that the channel has not taken yet; further ones are dropped. */
const MOST_PENDING = 1_000;
/** After a failure nothing is sent for so long. */
const REST_MS = 1_000;
/** A connection that has sent nothing for so long is closed, so that it does not keep an ending process. */
const IDLE_MS = 5_000;

/** `option`: undefined for readers in this process alone. */
export function createLivePublisher(
  option: LiveOption | undefined,
  onWarning: (text: string) => void,
): LivePublisher {
  const send = option && createSender(option, onWarning);
  return {
    hasReaders: (topic) => send !== undefined || isReadLocally(topic),
    publish(client, topic, pieces) {
      publishLocally(topic, pieces);
      for (const piece of send === undefined ? [] : pieces) send?.(topic, () => writePiece(client, piece));
    },
  };
}

/** Returns a function that sends a message, or drops it: a channel that fails or hangs costs bounded memory, and no call waits for it. */
function createSender(option: LiveOption, onWarning: (text: string) => void) {
  const failed = reportOutages(nameOf(option), onWarning);
  const channel = channelOf(option, failed);
  let pending = 0;
  let restsUntil = 0;
  let idle: NodeJS.Timeout | undefined;
  const close = () => void channel.close().catch(failed);
  const fail = (error: unknown) => {
    restsUntil = performance.now() + REST_MS;
    failed(error);
  };
  return (topic: string, write: () => Promise<string>): void => {
    if (performance.now() < restsUntil) return;
    if (pending >= MOST_PENDING) return fail(new Error(`it has not taken ${MOST_PENDING} messages`));
    pending++;
    clearTimeout(idle);
    idle = setTimeout(close, IDLE_MS).unref();
    write()
      .then((message) => channel.publish(topic, message))
      .catch(fail)
      .finally(() => pending--);
  };
}
