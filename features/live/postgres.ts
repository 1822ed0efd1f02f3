import type { BrokerChannel } from './live-channel.ts';
import { lazy } from './lazy.ts';

const CONNECT_S = 3;
const LONGEST_WAIT_S = 2;

/** PostgreSQL, by NOTIFY and LISTEN: no table is needed. The package listens again after it has reconnected. */
export function postgresChannel(url: string, name: string, onError: (error: unknown) => void): BrokerChannel {
  const connect = async () => {
    const { default: postgres } = await import('postgres');
    return postgres(url, {
      max: 1,
      connect_timeout: CONNECT_S,
      backoff: (retries) => Math.min(0.05 * 2 ** retries, LONGEST_WAIT_S),
      onnotice: () => undefined,
    });
  };
  const sql = lazy(connect, (client) => client.end({ timeout: 1 }));
  return {
    name,
    publish: async (topic, message) => (await sql.get()).notify(topic, message),
    async subscribe(topic, onMessage) {
      let isFirst = true;
      const onListen = () => {
        if (!isFirst) onError(new Error('the connection was lost for a while'));
        isFirst = false;
      };
      const { unlisten } = await (await sql.get()).listen(topic, onMessage, onListen);
      return unlisten;
    },
    close: sql.close,
  };
}
