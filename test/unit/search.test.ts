import { describe, expect, it, vi } from 'vitest';
import { type SearchOptions, search } from '../../tools/search/search.ts';
import { ToolError } from '../../tools/tool.ts';
import { type LoopbackAnswer, deadHost, failureOf, loopback } from '../support/loopback.ts';
import { toolContext } from '../support/tool-context.ts';

const KEY = 'serp/secret+key';

function ask(options: SearchOptions, query = 'Vittoria Ceretti age', signal?: AbortSignal) {
  const tool = search({ apiKey: KEY, ...options });
  return tool.run(tool.parseInput(query) as never, toolContext(signal === undefined ? {} : { signal }));
}

async function askServer(answer: LoopbackAnswer) {
  const { url } = await loopback(answer);
  return { url, output: await ask({ baseURL: url }) };
}

describe('a search', () => {
  it('asks SerpAPI for the query with the key', async () => {
    const { url, requests } = await loopback({ body: { answer_box: { answer: '25 years' } } });
    expect(await ask({ baseURL: url })).toBe('25 years');
    expect(requests).toMatchObject([{ method: 'GET' }]);
    const { pathname, searchParams } = new URL(requests[0]?.path ?? '', url);
    expect(pathname).toBe('/search');
    expect(Object.fromEntries(searchParams)).toEqual({
      engine: 'google',
      q: 'Vittoria Ceretti age',
      api_key: KEY,
    });
  });

  it('takes more parameters, another engine, and a base URL with a path', async () => {
    const { url, requests } = await loopback({ body: {} });
    await ask({ baseURL: `${url}/proxy/`, params: { engine: 'bing', gl: 'de' } });
    expect(requests[0]?.path).toMatch(/^\/proxy\/search\?engine=bing&gl=de&q=/);
  });

  it('reads the key from SERPAPI_API_KEY when it is called', async () => {
    const { url, requests } = await loopback({ body: {} });
    const tool = search({ baseURL: url });
    vi.stubEnv('SERPAPI_API_KEY', 'from-the-environment');
    await tool.run('q' as never, toolContext());
    vi.unstubAllEnvs();
    expect(requests[0]?.path).toContain('api_key=from-the-environment');
  });

  it.each([
    ['an empty answer', {}],
    ['an error that says so', { error: "Google hasn't returned any results for this query." }],
    [
      'sections with nothing in them',
      { answer_box: {}, organic_results: [{ position: 1, link: 'https://a.b' }] },
    ],
  ])('finds nothing in %s', async (_what, body) => {
    expect((await askServer({ body })).output).toBe('No good search result found');
  });

  it('for nothing at all is told to the model without a request', async () => {
    const { url, requests } = await loopback({ body: {} });
    expect(await failureOf(ask({ baseURL: url }, ' '))).toBeInstanceOf(ToolError);
    expect(requests).toEqual([]);
  });
});

describe('a search that fails', () => {
  it.each<{ when: string; answer: LoopbackAnswer; type: string; retryable: boolean; says: RegExp }>([
    {
      when: 'the key is wrong',
      answer: { status: 401, body: { error: `Invalid API key ${KEY}.` } },
      type: 'ToolAuthenticationError',
      retryable: false,
      says: /answered 401 at http.*: Invalid API key \*\*\*\. Check SERPAPI_API_KEY\./,
    },
    {
      when: 'the key may not',
      answer: { status: 403 },
      type: 'ToolPermissionDenied',
      retryable: false,
      says: /Check SERPAPI_API_KEY/,
    },
    {
      when: 'the request is wrong',
      answer: { status: 400, body: { error: 'Unsupported `xyz` engine.' } },
      type: 'ToolBadRequest',
      retryable: false,
      says: /Unsupported `xyz` engine\. Check the query, params/,
    },
    {
      when: 'the address is wrong',
      answer: { status: 404, body: '<h1>Not found</h1>' },
      type: 'ToolNotFound',
      retryable: false,
      says: /<h1>Not found<\/h1>\. Check the query, params and baseURL/,
    },
    {
      when: 'the address redirects, with the key in the new one',
      answer: {
        status: 301,
        headers: { location: `https://a.example/search?api_key=${encodeURIComponent(KEY)}` },
      },
      type: 'ToolBadResponse',
      retryable: false,
      says: /It leads to https:\/\/a\.example\/search: if/,
    },
    {
      when: 'there are too many',
      answer: { status: 429 },
      type: 'ToolRateLimited',
      retryable: true,
      says: /429/,
    },
    {
      when: 'the searches of the account are used up',
      answer: { status: 429, body: { error: 'Your account has run out of searches.' } },
      type: 'ToolRateLimited',
      retryable: false,
      says: /Check the plan of the account/,
    },
    {
      when: 'the server takes too long itself',
      answer: { status: 408 },
      type: 'ToolTimeout',
      retryable: true,
      says: /408/,
    },
    {
      when: 'the server fails',
      answer: { status: 503, body: 'busy' },
      type: 'ToolServerError',
      retryable: true,
      says: /answered 503 at .*: busy\.$/,
    },
    {
      when: 'the engine fails behind the server',
      answer: { body: { error: "We couldn't get valid results for this search." } },
      type: 'ToolServerError',
      retryable: true,
      says: /couldn't get valid results/,
    },
    {
      when: 'the answer is not JSON',
      answer: { body: `<html>${KEY}</html>` },
      type: 'ToolBadResponse',
      retryable: true,
      says: /no JSON: <html>\*\*\*<\/html>\. Check the address/,
    },
    {
      when: 'the answer is empty',
      answer: {},
      type: 'ToolBadResponse',
      retryable: true,
      says: /no JSON: nothing/,
    },
    {
      when: 'the answer is a list',
      answer: { body: [] },
      type: 'ToolBadResponse',
      retryable: true,
      says: /no object/,
    },
    {
      when: 'the connection breaks',
      answer: { body: '{"answer_box":', fault: 'break' },
      type: 'ToolConnectionError',
      retryable: true,
      says: /The connection to SerpAPI at http.* failed/,
    },
  ])('because $when: $type, retryable: $retryable', async ({ answer, type, retryable, says }) => {
    const { url } = await loopback(answer);
    const error = await failureOf(ask({ baseURL: url }));
    expect(error).toMatchObject({ name: type, retryable, message: expect.stringMatching(says) });
    expect(error).toMatchObject({ message: expect.stringContaining(url) });
    expect(String(error)).not.toMatch(/secret/);
  });

  it('because nobody listens may be tried again', async () => {
    const error = await failureOf(ask({ baseURL: `http://${await deadHost()}` }));
    expect(error).toMatchObject({
      name: 'ToolConnectionError',
      retryable: true,
      message: expect.stringContaining('ECONNREFUSED'),
    });
    expect(String(error)).not.toMatch(/secret/);
  });

  it('because its time is over rejects with the reason of the signal', async () => {
    const { url } = await loopback({ fault: 'hang' });
    const error = await failureOf(ask({ baseURL: url }, 'q', AbortSignal.timeout(50)));
    expect(error).toMatchObject({ name: 'TimeoutError' });
  });

  it('for want of a key fails at the call, not when the config is loaded', async () => {
    vi.stubEnv('SERPAPI_API_KEY', '');
    const error = await failureOf(search().run('q' as never, toolContext()));
    vi.unstubAllEnvs();
    expect(error).toMatchObject({
      name: 'ToolAuthenticationError',
      retryable: false,
      message: expect.stringContaining('set SERPAPI_API_KEY'),
    });
  });

  it('asks as long as Retry-After to wait', async () => {
    const { url } = await loopback({ status: 429, headers: { 'retry-after': '7' } });
    expect(await failureOf(ask({ baseURL: url }))).toMatchObject({ retryAfterMs: 7000 });
  });
});

it.each(['serpapi.com', 'ftp://serpapi.com', 'https://user@serpapi.com', 'https://serpapi.com?x=1'])(
  'the base URL %s is refused when the tool is made',
  (baseURL) => {
    expect(() => search({ baseURL })).toThrow('give an http(s) address');
  },
);
