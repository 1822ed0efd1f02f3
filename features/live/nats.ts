import type { BrokerChannel } from './live-channel.ts';
import { lazy } from './lazy.ts';

const CONNECT_MS = 3_000;
const WAIT_MS = 1_000;

/** NATS, by its core's subjects. The package subscribes again after it has reconnected. */
export function natsChannel(url: string, name: string, onError: (error: unknown) => void): BrokerChannel {
  const connect = async () => {
    const { connect: connectTo } = await import('@nats-io/transport-node');
    const client = await connectTo({
      ...placeOf(new URL(url)),
      timeout: CONNECT_MS,
      maxReconnectAttempts: -1,
      reconnectTimeWait: WAIT_MS,
    });
    const connection = { client, isConnected: true };
    void follow(connection, onError);
    return connection;
  };
  const connection = lazy(connect, ({ client }) => client.close());
  return {
    name,
    async publish(topic, message) {
      const { client, isConnected } = await connection.get();
      // The package would keep all messages without a connection.
      if (!isConnected) throw new Error('the connection was lost');
      client.publish(topic, message);
    },
    async subscribe(topic, onMessage) {
      const { client } = await connection.get();
      const subscription = client.subscribe(topic, {
        callback: (_error, message) => onMessage(message.string()),
      });
      await client.flush();
      return async () => subscription.unsubscribe();
    },
    close: connection.close,
  };
}

/** The package reads no user, no token (`nats://TOKEN@HOST`) and no protocol from the address of a server. */
function placeOf({ protocol, username, password, host }: URL) {
  const [user, pass] = [username, password].map(decodeURIComponent);
  return {
    servers: host,
    ...(protocol === 'tls:' && { tls: {} }),
    ...(user !== undefined && user !== '' && (pass === '' ? { token: user } : { user, pass: pass ?? '' })),
  };
}

type Status = { type: string; error?: unknown };

async function follow(
  connection: { client: { status(): AsyncIterable<Status> }; isConnected: boolean },
  onError: (error: unknown) => void,
): Promise<void> {
  for await (const { type, error } of connection.client.status()) {
    if (type === 'disconnect') {
      connection.isConnected = false;
      onError(new Error('the connection was lost'));
    }
    if (type === 'reconnect') connection.isConnected = true;
    if (type === 'error') onError(error);
  }
}
