import { describe, expect, it } from 'vitest';
import { allowList } from '../../../../../adapters/tools/http/allow.ts';
import { type HttpOptions, http } from '../../../../../adapters/tools/http/http.ts';
import { ToolError } from '../../../../../adapters/tools/tool.ts';
import { type LoopbackAnswer, deadHost, failureOf, loopback } from '../../../../support/loopback.ts';
import { toolContext } from '../../../../support/tool-context.ts';

describe('only a host on the list is asked', () => {
  const elsewhere = [
    'https://evil.example/ http://api.example.com@evil.example/ http://evil.example#@api.example.com/',
    'http://evil.example\\@api.example.com/ http://user:pw@api.example.com/ http://api.example.com:8080/',
    'https://api.example.com.:443/ https://api.example.com.evil.example/ https://xapi.example.com/',
    'https://wild.example/ https://a.wild.example./ https://evilwild.example/ http://127.0.0.1/',
    'http://2130706433:8080/ http://[::ffff:127.0.0.1]:8080/ http://[::]:8080/ http://localhost:8080/',
    'http://0.0.0.0:8080/ file:///etc/passwd ftp://api.example.com/ data:text/plain,hello',
    '//api.example.com/ api.example.com',
  ].flatMap((urls) => urls.split(' '));
  it.each([...elsewhere, ''])('%s is not on it', async (url) => {
    const allow = ['api.example.com', '*.wild.example', '127.0.0.2:8080', '[::1]:8080'];
    const error = await failureOf(http({ allow }).run({ url, method: 'GET' } as never, toolContext()));
    expect(error).toBeInstanceOf(ToolError);
    expect(error).toMatchObject({ message: expect.stringContaining('api.example.com, *.wild.example') });
  });

  it.each([
    ['api.example.com', 'https://api.example.com/x'],
    ['api.example.com', 'http://API.example.com:80/x'],
    ['API.example.com:443', 'https://api.example.com/'],
    ['*.wild.example', 'https://a.b.wild.example/'],
    ['*.wild.example:8443', 'https://a.wild.example:8443/'],
    ['127.0.0.1:8080', 'http://2130706433:8080/'],
    ['[::1]:8080', 'http://[0:0:0:0:0:0:0:1]:8080/'],
    ['bücher.example', 'https://xn--bcher-kva.example/'],
    ['localhost:8080', 'http://localhost:8080/'],
  ])('an entry %s lists %s', (entry, url) => {
    expect(allowList([entry]).allows(new URL(url))).toBe(true);
  });

  const odd = ['*', '*.', '', 'https://a.example', 'a.example/x', 'a@b', '::1', 'a b'];
  it.each([[], ...odd.map((entry) => [entry])])(
    'the list %j is refused when the tool is made',
    (...allow) => {
      expect(() => http({ allow })).toThrow(/^http: allow /);
    },
  );

  it.each([
    ['api.example.com', 'https://api.example.com/', true],
    ['*.example.com', 'https://api.example.com/', true],
    ['api.example.com', 'http://api.example.com/', false],
    ['*.example.com', 'http://api.example.com/', false],
    ['api.example.com:80', 'http://api.example.com/', true],
    ['api.example.com:8080', 'http://api.example.com:8080/', true],
    ['localhost', 'http://localhost/', true],
    ['127.0.0.9', 'http://127.0.0.9/', true],
    ['[::1]', 'http://[::1]/', true],
    ['127.0.0.1.example.com', 'http://127.0.0.1.example.com/', false],
    ['other.example.com', 'https://api.example.com/', false],
  ])('with %s, the headers of the config may go to %s: %s', (entry, url, may) => {
    expect(allowList([entry]).trusts(new URL(url))).toBe(may);
  });
});

async function send(options: HttpOptions, input: { [field: string]: unknown }) {
  const tool = http(options);
  return tool.run(tool.parseInput(input as never) as never, toolContext({ idempotencyKey: 'key-1' }));
}

describe('a request that may change something', () => {
  it.each<[methods: HttpOptions['methods'], effects: string]>([
    [undefined, 'once'],
    [['GET'], 'none'],
    [['GET', 'PUT', 'DELETE'], 'idempotent'],
    [['PATCH'], 'once'],
  ])('with the methods %j makes the tool one of effects %s', (methods, effects) => {
    const given = { allow: ['a.example'], ...(methods && { methods }) };
    expect(http(given)).toMatchObject({ effects });
    expect(http({ ...given, effects: 'idempotent' })).toMatchObject({ effects: 'idempotent' });
  });

  it('is sent only while the call is still ours, which a request that reads need not be', async () => {
    const { url, host, requests } = await loopback({});
    const tool = http({ allow: [host] });
    const context = toolContext({ commit: () => Promise.reject(new Error('not ours')) });
    const ask = (method: string) => tool.run(tool.parseInput({ url, method }) as never, context);
    await expect(ask('POST')).rejects.toThrow('not ours');
    expect(requests).toEqual([]);
    expect(await ask('GET')).toBe('HTTP 200 OK');
  });

  it.each<[what: string, method: string, answer: LoopbackAnswer | undefined, notDone: boolean]>([
    ['nobody listens', 'POST', undefined, true],
    ['the server has no time', 'POST', { status: 429 }, true],
    ['the server fails', 'POST', { status: 500 }, false],
    ['the server fails at a GET', 'GET', { status: 500 }, true],
    ['the connection breaks', 'POST', { body: 'ha', fault: 'break' }, false],
    ['the connection breaks at a GET', 'GET', { body: 'ha', fault: 'break' }, true],
  ])('is known not to have been done or not when %s', async (_what, method, answer, notDone) => {
    const host = answer === undefined ? await deadHost() : (await loopback(answer)).host;
    const error = await failureOf(send({ allow: [host] }, { url: `http://${host}/`, method }));
    expect(error).toMatchObject({ notDone });
  });

  it('may have been done by the server that redirected it, wherever that leads', async () => {
    const dead = await deadHost();
    const { url, host } = await loopback({ status: 303, headers: { location: `http://${dead}/` } });
    const error = await failureOf(send({ allow: [host, dead] }, { url, method: 'POST' }));
    expect(error).toMatchObject({ name: 'ToolConnectionError', notDone: false });
  });

  it.each<[idempotencyHeader: string | false, headers: object]>([
    ['X-Request-Key', { 'x-request-key': 'key-1', 'idempotency-key': undefined }],
    [false, { 'idempotency-key': undefined }],
  ])('carries its key in the header %s', async (idempotencyHeader, headers) => {
    const { url, host, requests } = await loopback({});
    await send({ allow: [host], idempotencyHeader }, { url, method: 'POST', body: 'x' });
    const sent = requests[0]?.headers ?? {};
    expect(Object.fromEntries(Object.keys(headers).map((name) => [name, sent[name]]))).toEqual(headers);
  });
});
