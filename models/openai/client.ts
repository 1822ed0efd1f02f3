import { LRUCache } from 'lru-cache';
import { OpenAI } from 'openai';
import { lightFetch } from './light-fetch.ts';

/** More endpoints and keys than a process asks in turn; a token of Entra is another key every hour. */
const MOST_CLIENTS = 100;

const clients = new LRUCache<string, OpenAI>({ max: MOST_CLIENTS });

/** One client for each endpoint and key: to make one takes longer than to ask with it. */
export function clientOf({ baseURL, apiKey }: { baseURL: string; apiKey: string }): OpenAI {
  const name = `${baseURL}\n${apiKey}`;
  const known = clients.get(name);
  if (known !== undefined) return known;
  const client = new Client({ baseURL, apiKey, maxRetries: 0, logLevel: 'off', fetch: lightFetch });
  clients.set(name, client);
  return client;
}

/** The official client; it only reads errors that stand in `error`, and compatible servers put them elsewhere too. */
class Client extends OpenAI {
  protected override makeStatusError(
    ...[status, body, message, headers]: Parameters<OpenAI['makeStatusError']>
  ): ReturnType<OpenAI['makeStatusError']> {
    return super.makeStatusError(status, { error: errorIn(body) }, message, headers);
  }
}

function errorIn(body: unknown): unknown {
  if (Array.isArray(body)) return errorIn(body[0]);
  if (body === null || typeof body !== 'object') return undefined;
  if ('error' in body && body.error) {
    return typeof body.error === 'string' ? { ...body, message: body.error } : body.error;
  }
  return 'detail' in body ? { message: body.detail } : body;
}
