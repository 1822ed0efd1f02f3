import type { BrokerChannel } from './live-channel.ts';
import { lazy } from './lazy.ts';

const CONNECT_MS = 3_000;
const LONGEST_WAIT_MS = 2_000;
/** Proxies, and Redis with `timeout`, close connections that nothing is said on; most of them after a minute or more. */
const PING_MS = 20_000;

/** Redis, and databases with its protocol, by pub/sub. The package subscribes again after it has reconnected. */
export function redisChannel(url: string, name: string, onError: (error: unknown) => void): BrokerChannel {
  const connect = async () => {
    const { createClient } = await import('redis');
    let wasConnected = false;
    const client = createClient({
      url,
      disableOfflineQueue: true,
      pingInterval: PING_MS,
      socket: {
        connectTimeout: CONNECT_MS,
        reconnectStrategy: (retries) => wasConnected && Math.min(50 * 2 ** retries, LONGEST_WAIT_MS),
      },
    });
    client.on('error', onError);
    await client.connect();
    wasConnected = true;
    return client;
  };
  type Client = Awaited<ReturnType<typeof connect>>;
  const end = (client: Client) => client.destroy();
  const publisher = lazy(connect, end);
  const subscriber = lazy(connect, end);
  return {
    name,
    publish: async (topic, message) => (await publisher.get()).publish(topic, message),
    async subscribe(topic, onMessage) {
      const client = await subscriber.get();
      const listener = (message: string) => onMessage(message);
      await client.subscribe(topic, listener);
      return () => client.unsubscribe(topic, listener);
    },
    close: () => Promise.all([publisher.close(), subscriber.close()]),
  };
}
