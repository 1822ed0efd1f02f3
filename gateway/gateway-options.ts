import { InvalidInput } from '../client/index.ts';
import { type Authenticate, type TokenCaller, byToken, checkedCaller, everybody } from './http/caller.ts';
import type { ServedAgent } from './http/route.ts';
import type { CallbackOptions } from './routes/callback.ts';

/** One of `tokens`, `authenticate` and `open` is needed. */
export interface GatewayOptions {
  /** Callers with a bearer token each. */
  tokens?: readonly TokenCaller[] | undefined;
  /** Finds the caller of a request in another way. */
  authenticate?: Authenticate | undefined;
  /** Everybody who reaches the gateway may do everything. */
  open?: boolean | undefined;
  /** The agents that callers may start. Default: all of the workers' config. */
  agents?: readonly ServedAgent[] | undefined;
  /** Path under which the gateway is mounted, such as `/api/reloop`. */
  basePath?: string | undefined;
  /** Origins of web pages that may ask. Default: none. */
  origins?: readonly string[] | undefined;
  /** Names in the gateway's address, such as `localhost`: requests by other names are refused. Default: any name; with `open` those of this machine. */
  hosts?: readonly string[] | undefined;
  /** Requests of a caller a minute, counted by each instance. Default: 600. */
  requestsPerMinute?: number | undefined;
  /** Requests of a caller that are open at the same time, streams above all, counted by each instance. Default: 200. */
  openRequests?: number | undefined;
  /** Largest body of a request. Default: 8,000,000 bytes. */
  bodyBytes?: number | undefined;
  /** `POST /deferred/TOKEN` answers a deferred call without a caller's token. Default: it does not. */
  callbacks?: boolean | CallbackOptions | undefined;
  /** Hosts of images that a question may name by URL: the server of the model fetches them. Default: all but those of private networks. */
  imageHosts?: readonly string[] | undefined;
  /** Address at which others reach the gateway, with its path. Cards of agents have it. Default: as each request has it. */
  publicUrl?: string | undefined;
  /** Address of Temporal's Web UI, such as `http://127.0.0.1:8233`: the pages of runs link to it. */
  webUi?: string | undefined;
  /** A page at `/chat`, and at `/chat/AGENT`, on which people talk to the agents. Default: no page. */
  chat?: boolean | undefined;
  /** Receives the errors that callers do not see. */
  onError?: ((error: unknown) => void) | undefined;
}

/** Throws InvalidInput. */
export function authenticatorOf({ tokens, authenticate, open = false }: GatewayOptions): Authenticate {
  const given = [tokens, authenticate, open || undefined].filter((one) => one !== undefined);
  if (given.length !== 1) {
    throw new InvalidInput('createGateway: give one of tokens, authenticate, and open: true for everybody.');
  }
  if (tokens !== undefined) return byToken(tokens);
  if (authenticate === undefined) return everybody;
  return async (request) => {
    const caller = await authenticate(request);
    try {
      return caller === undefined || caller === null ? undefined : checkedCaller(caller);
    } catch (cause) {
      throw new Error('authenticate() gave a caller that cannot be used', { cause }); // not the sender's mistake
    }
  };
}

/** The address without a slash at its end. Throws InvalidInput. */
export function addressOf(option: string, url: string | undefined, what: string): string | undefined {
  if (url === undefined || /^https?:\/\/[^/\s]/u.test(url)) return url?.replace(/\/+$/u, '');
  throw new InvalidInput(`createGateway: ${option} is ${JSON.stringify(url)}. Write the address ${what}.`);
}
