import type { Client } from '@temporalio/client';
import type { LivePiece } from '../../agent/live-text/live-piece.ts';
import { channelOf, nameOf } from './brokers.ts';
import { ASK_TOPIC, type LiveOption } from './live-channel.ts';
import { askWriters, isReadLocally, onAsked, publishLocally } from './local-topics.ts';
import { writePiece } from './message.ts';
import { reportOutages } from './outage.ts';

/** Publishes what attempts write. No method waits or throws. */
export interface LivePublisher {
  /** Starts an attempt. `again`: called when a new reader needs the texts from their start. Returns a function that ends the attempt. */
  begin(topic: string, again: () => void): () => void;
  /** Returns false if no reader can receive pieces of the topic. */
  hasReaders(topic: string): boolean;
  /** `client`: its codecs encrypt the pieces. */
  publish(client: Pick<Client, 'options'>, topic: string, pieces: readonly LivePiece[]): void;
}

/** Most messages that the channel has not taken yet; further ones are dropped. */
const MOST_PENDING = 1_000;
/** Time after a failure in which nothing is sent. */
const REST_MS = 1_000;
/** Time without an attempt after which the connection is closed, so that it does not keep an ending process. */
const IDLE_MS = 5_000;

/** `option`: undefined for readers in this process alone. */
export function createLivePublisher(
  option: LiveOption | undefined,
  onWarning: (text: string) => void,
): LivePublisher {
  const sender = option && createSender(option, onWarning);
  return {
    begin(topic, again) {
      const leave = onAsked(topic, again);
      sender?.begin();
      return () => {
        leave();
        sender?.end();
      };
    },
    hasReaders: (topic) => sender !== undefined || isReadLocally(topic),
    publish(client, topic, pieces) {
      publishLocally(topic, pieces);
      for (const piece of pieces) sender?.send(topic, () => writePiece(client, piece));
    },
  };
}

/** A sender that drops messages where the channel fails or hangs: that costs bounded memory, and no call waits for it. */
function createSender(option: LiveOption, onWarning: (text: string) => void) {
  const failed = reportOutages(nameOf(option), onWarning);
  const channel = channelOf(option, failed);
  let attempts = 0;
  let pending = 0;
  let restsUntil = 0;
  let isListening = false;
  let idle: NodeJS.Timeout | undefined;

  const fail = (error: unknown) => {
    restsUntil = performance.now() + REST_MS;
    failed(error);
  };
  /** New readers ask all workers; the one that writes the text answers. */
  const listen = () => {
    if (isListening) return;
    isListening = true;
    channel.subscribe(ASK_TOPIC, askWriters).catch((error: unknown) => {
      isListening = false;
      fail(error);
    });
  };
  const close = () => {
    isListening = false;
    channel.close().catch(failed);
  };
  return {
    begin() {
      attempts++;
      clearTimeout(idle);
    },
    end() {
      attempts--;
      if (attempts === 0) idle = setTimeout(close, IDLE_MS).unref();
    },
    send(topic: string, write: () => Promise<string>): void {
      if (performance.now() < restsUntil) return;
      if (pending >= MOST_PENDING) {
        fail(new Error(`it has not taken ${MOST_PENDING} messages`));
        return;
      }
      listen();
      pending++;
      write()
        .then((message) => channel.publish(topic, message))
        .catch(fail)
        .finally(() => pending--);
    },
  };
}
