import { z } from 'zod/v4';
import { shownUrl } from '../../../agent/text/shown-url.ts';
import { ServiceError } from '../http/error.ts';
import { type JsonService, askJson } from '../http/json.ts';
import { pickAnswer } from './answer.ts';
import { type Tool, type ToolOptions, ToolError, defineTool } from '../tool.ts';
import { madeBy } from '../same-tool.ts';

export interface SearchOptions extends Partial<ToolOptions> {
  /** Default: SERPAPI_API_KEY, read at each call. */
  apiKey?: string;
  /** Any server that speaks SerpAPI's protocol. Default: SerpAPI itself. */
  baseURL?: string;
  /** More of SerpAPI's parameters, such as `{ gl: 'de', hl: 'de' }`. Default `{ engine: 'google' }`. */
  params?: { [name: string]: string };
}

const defaults = {
  name: 'search',
  description:
    'Searches the web: for current events, and for facts about people, places and things. ' +
    'The input is a search query.',
  timeout: '30s',
  effects: 'none',
} as const;

const SERPAPI_URL = 'https://serpapi.com';
const NO_RESULT = 'No good search result found';

/** Asks a web search engine through SerpAPI. {@link pickAnswer} chooses the part of the answer for the model. */
export function search({ apiKey, baseURL = SERPAPI_URL, params, ...options }: SearchOptions = {}): Tool {
  const endpoint = endpointOf(baseURL);
  const tool = defineTool({
    ...defaults,
    ...options,
    async run(query, { signal }) {
      if (query.trim() === '') throw new ToolError('The search was given nothing. Give it a search query.');
      const key = keyOf(apiKey);
      const url = new URL(endpoint);
      url.search = String(new URLSearchParams({ engine: 'google', ...params, q: query, api_key: key }));
      const service = serpapi(endpoint, key);
      const body = Results.safeParse(await askJson(service, url, {}, signal));
      if (!body.success) throw unreadable(endpoint);
      const error = body.data.error ?? '';
      if (error !== '' && !isNoResult(error)) throw failed(endpoint, error.replaceAll(key, '***'));
      return pickAnswer(body.data) ?? NO_RESULT;
    },
  });
  return madeBy(search, { apiKey, baseURL, params, ...options }, tool);
}

/** Results of any engine. answer.ts reads the sections, which differ by engine. */
const Results = z.looseObject({ error: z.string().nullish() });

function endpointOf(baseURL: string): string {
  const address = `${baseURL.replace(/\/+$/, '')}/search`;
  if (/^https?:\/\/[^?#@]+$/i.test(address) && URL.canParse(address)) return address;
  throw new Error(
    `search: baseURL is ${shownUrl(baseURL)}; give an http(s) address without user name and query, such as ${SERPAPI_URL}.`,
  );
}

/** Read late, so that a config can be loaded without a key. Empty text counts as not set. */
function keyOf(option: string | undefined): string {
  const key = (option?.trim() || process.env['SERPAPI_API_KEY'] || '').trim();
  if (key !== '') return key;
  throw new ServiceError('ToolAuthenticationError', 'No key to search with: set SERPAPI_API_KEY.', {
    retryable: false,
  });
}

function serpapi(address: string, key: string): JsonService {
  return {
    name: 'SerpAPI',
    address,
    secrets: [key],
    complaint: (body) => Results.safeParse(body).data?.error ?? undefined,
    isFinal: (_status, said) => isUsedUp(said),
    advice(status, said) {
      if (isUsedUp(said)) return 'Check the plan of the account.';
      if (status === 401 || status === 403) return 'Check SERPAPI_API_KEY.';
      if (status === 429) return 'If this stays, search less at once.';
      return status < 500 ? 'Check the query, params and baseURL.' : '';
    },
  };
}

function isUsedUp(said: string): boolean {
  return /run out of searches/i.test(said);
}

/** "Google hasn't returned any results for this query.", of whichever engine. */
function isNoResult(error: string): boolean {
  return /hasn't returned any results/i.test(error);
}

/** The engine behind SerpAPI failed, though SerpAPI itself did not. */
function failed(address: string, error: string): ServiceError {
  return new ServiceError(
    'ToolServerError',
    `SerpAPI at ${address} found nothing because of an error: ${error}`,
    {
      retryable: true,
    },
  );
}

function unreadable(address: string): ServiceError {
  return new ServiceError(
    'ToolBadResponse',
    `SerpAPI at ${address} answered with no object. Check the address.`,
    {
      retryable: true,
    },
  );
}
