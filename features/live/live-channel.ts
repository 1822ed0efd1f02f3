import { createHash } from 'node:crypto';

/**
 * Carries live text from workers to readers, at best effort: a message may be lost, doubled, or overtaken by another. Heartbeats bring the
 * text that is lost.
 */
export interface LiveChannel {
  /** Name for messages, without a password. */
  readonly name: string;
  /** Sends a message to the readers of a topic. A topic has at most 60 letters, digits and `_`; a message at most 8,000 ASCII characters. */
  publish(topic: string, message: string): Promise<unknown>;
  /**
   * Calls `onMessage` for each message of the topic, also after the connection was lost and found again. Resolves when messages can arrive,
   * to a function that ends it. Rejects if there is no connection; the caller tries again.
   */
  subscribe(topic: string, onMessage: (message: string) => void): Promise<() => Promise<unknown>>;
}

/** A channel with its own connections. `publish` and `subscribe` connect on their own, also after `close`. */
export interface BrokerChannel extends LiveChannel {
  close(): Promise<unknown>;
}

/** The side channel of live text between processes: the URL of a broker (redis://, nats://, postgres://), or your own channel. */
export type LiveOption = { url: string } | LiveChannel;

/** Topic of a run's live text. Any workflow id becomes a name that each broker takes, and that reveals nothing about the run. */
export function topicOf(workflowId: string): string {
  return `reloop_live_${createHash('sha256').update(workflowId).digest('hex').slice(0, 40)}`;
}

/** Topic on which a new reader asks for the texts of a run from their beginning: the message is the run's topic. */
export const ASK_TOPIC = 'reloop_live_ask';
