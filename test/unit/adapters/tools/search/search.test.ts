import { describe, expect, it, vi } from 'vitest';
import { type SearchOptions, search } from '../../../../../adapters/tools/search/search.ts';
import { ToolError } from '../../../../../adapters/tools/tool.ts';
import { type LoopbackAnswer, deadHost, failureOf, loopback } from '../../../../support/loopback.ts';
import { toolContext } from '../../../../support/tool-context.ts';

const KEY = 'serp/secret+key';

function ask(options: SearchOptions, query = 'Vittoria Ceretti age') {
  const tool = search({ apiKey: KEY, ...options });
  return tool.run(tool.parseInput(query) as never, toolContext());
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
    const asked = { engine: 'google', q: 'Vittoria Ceretti age', api_key: KEY };
    expect(Object.fromEntries(searchParams)).toEqual(asked);
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

  const nothing = { answer_box: {}, organic_results: [{ position: 1, link: 'https://a.b' }] };
  it.each([
    ['an empty answer', {}],
    ['an error that says so', { error: "Google hasn't returned any results for this query." }],
    ['sections with nothing in them', nothing],
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
  const says = (status: number, error: string): LoopbackAnswer => ({ status, body: { error } });
  const moved = {
    status: 301,
    headers: { location: `https://a.example/search?api_key=${encodeURIComponent(KEY)}` },
  };
  const noResults = says(200, "We couldn't get valid results for this search.");
  const wrongKey = says(401, `Invalid API key ${KEY}.`);
  const usedUp = says(429, 'Your account has run out of searches.');
  const wrongPath: LoopbackAnswer = { status: 404, body: '<h1>Not found</h1>' };
  const keyHidden = /answered 401 at http.*: Invalid API key \*\*\*\. Check SERPAPI_API_KEY\./;
  const atPath = /<h1>Not found<\/h1>\. Check the query, params and baseURL/;
  const cut: LoopbackAnswer = { body: '{"answer_box":', fault: 'break' };
  const wrong = says(400, 'Unsupported `xyz` engine.');
  const page = { body: `<html>${KEY}</html>` };

  it.each<[when: string, answer: LoopbackAnswer, type: string, retryable: boolean, shown: RegExp]>([
    ['the key is wrong', wrongKey, 'ToolAuthenticationError', false, keyHidden],
    ['the key may not', { status: 403 }, 'ToolPermissionDenied', false, /Check SERPAPI_API_KEY/],
    ['it is wrong', wrong, 'ToolBadRequest', false, /Unsupported `xyz` engine\. Check the query, params/],
    ['the address is wrong', wrongPath, 'ToolNotFound', false, atPath],
    ['it is redirected', moved, 'ToolBadResponse', false, /It leads to https:\/\/a\.example\/search: if/],
    ['there are too many', { status: 429 }, 'ToolRateLimited', true, /429/],
    ['the account is used up', usedUp, 'ToolRateLimited', false, /Check the plan of the account/],
    ['the server takes too long itself', { status: 408 }, 'ToolTimeout', true, /408/],
    ['it fails', { status: 503, body: 'busy' }, 'ToolServerError', true, /answered 503 at .*: busy\.$/],
    ['the engine fails', noResults, 'ToolServerError', true, /couldn't get valid results/],
    ['it is no JSON', page, 'ToolBadResponse', true, /no JSON: <html>\*\*\*<\/html>\. Check the address/],
    ['something is created', { status: 201 }, 'ToolBadResponse', false, /answered 201.*Check the address/],
    ['the answer is empty', {}, 'ToolBadResponse', true, /no JSON: nothing/],
    ['the answer is a list', { body: [] }, 'ToolBadResponse', true, /no object/],
    ['the connection breaks', cut, 'ToolConnectionError', true, /The connection to SerpAPI at http.* failed/],
  ])('because %s', async (_when, answer, name, retryable, shown) => {
    const { url } = await loopback(answer);
    const error = await failureOf(ask({ baseURL: url }));
    expect(error).toMatchObject({ name, retryable, message: expect.stringMatching(shown) });
    expect(error).toMatchObject({ message: expect.stringContaining(url) });
    expect(String(error)).not.toMatch(/secret/);
  });

  it('because nobody listens may be tried again', async () => {
    const error = await failureOf(ask({ baseURL: `http://${await deadHost()}` }));
    const message = expect.stringContaining('ECONNREFUSED');
    expect(error).toMatchObject({ name: 'ToolConnectionError', retryable: true, message });
    expect(String(error)).not.toMatch(/secret/);
  });

  it('for want of a key fails at the call, not when the config is loaded', async () => {
    vi.stubEnv('SERPAPI_API_KEY', '');
    const error = await failureOf(search().run('q' as never, toolContext()));
    vi.unstubAllEnvs();
    const message = expect.stringContaining('set SERPAPI_API_KEY');
    expect(error).toMatchObject({ name: 'ToolAuthenticationError', retryable: false, message });
  });

  it('asks as long as Retry-After to wait', async () => {
    const { url } = await loopback({ status: 429, headers: { 'retry-after': '7' } });
    expect(await failureOf(ask({ baseURL: url }))).toMatchObject({ retryAfterMs: 7000 });
  });
});

const odd = ['serpapi.com', 'ftp://serpapi.com', 'https://user@serpapi.com', 'https://serpapi.com?x=1'];
it.each(odd)('the base URL %s is refused when the tool is made', (baseURL) => {
  expect(() => search({ baseURL })).toThrow('give an http(s) address');
});
