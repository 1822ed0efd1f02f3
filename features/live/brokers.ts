import { type OptionalPackage, requirePackage } from '../../adapters/tools/optional-package.ts';
import { fieldOf } from '../../agent/values/values.ts';
import { InvalidInput } from '../../agent/values/refusal.ts';
import { setValue } from '../../agent/values/set-value.ts';
import type { BrokerChannel, LiveChannel, LiveOption } from './live-channel.ts';
import { natsChannel } from './nats.ts';
import { postgresChannel } from './postgres.ts';
import { redisChannel } from './redis.ts';

/** A broker that a URL names. `create` connects to nothing; `onError` receives errors that no method throws. */
interface LiveAdapter {
  protocols: readonly string[];
  package: OptionalPackage;
  create(url: string, name: string, onError: (error: unknown) => void): BrokerChannel;
}

const adapters: readonly LiveAdapter[] = [
  { protocols: ['redis:', 'rediss:'], package: 'redis', create: redisChannel },
  { protocols: ['nats:', 'tls:'], package: '@nats-io/transport-node', create: natsChannel },
  { protocols: ['postgres:', 'postgresql:'], package: 'postgres', create: postgresChannel },
];

const LIVE_URL = 'RELOOP_LIVE_URL';

/** Problem of the option `live`; undefined: there is none. Says which package to install, and does not quote a password. */
export function liveProblem(option: unknown): string | undefined {
  if (isChannel(option)) return undefined;
  const url = fieldOf(option, 'url');
  if (typeof url !== 'string') return 'is neither { url } nor a channel with name, publish and subscribe';
  const adapter = adapterOf(url);
  if (adapter === undefined) return 'url does not begin with redis://, nats:// or postgres://';
  try {
    requirePackage(adapter.package, `live: ${new URL(url).protocol}//`);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The option of RELOOP_LIVE_URL; undefined: the variable is not set. Throws InvalidInput. */
export function environmentLive(env: NodeJS.ProcessEnv = process.env): LiveOption | undefined {
  const url = setValue(env[LIVE_URL]);
  return url === undefined ? undefined : checkedLive({ url }, LIVE_URL);
}

/** Throws InvalidInput that starts with `where`. */
export function checkedLive(option: LiveOption, where = 'live'): LiveOption {
  const problem = liveProblem(option);
  if (problem !== undefined) throw new InvalidInput(`${where}: ${problem}.`);
  return option;
}

/** The channel of a checked option. A channel of the user's own is theirs to close. */
export function channelOf(option: LiveOption, onError: (error: unknown) => void): BrokerChannel {
  if (isChannel(option)) return ownChannel(option);
  const adapter = adapterOf(option.url);
  if (adapter === undefined) throw new InvalidInput(`live: ${liveProblem(option)}.`);
  return adapter.create(option.url, nameOf(option), onError);
}

/** The channel for messages, without a password. */
export function nameOf(option: LiveOption): string {
  if (isChannel(option)) return option.name;
  const { protocol, host } = new URL(option.url);
  return `${protocol}//${host}`;
}

/** Whatever the user's methods return or throw, these return promises. */
function ownChannel(channel: LiveChannel): BrokerChannel {
  return {
    name: channel.name,
    publish: async (topic, message) => channel.publish(topic, message),
    async subscribe(topic, onMessage) {
      const unsubscribe = await channel.subscribe(topic, onMessage);
      return async () => unsubscribe();
    },
    close: () => Promise.resolve(),
  };
}

function adapterOf(url: string): LiveAdapter | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol } = new URL(url);
  return adapters.find(({ protocols }) => protocols.includes(protocol));
}

function isChannel(option: unknown): option is LiveChannel {
  return ['publish', 'subscribe'].every((name) => typeof fieldOf(option, name) === 'function');
}
