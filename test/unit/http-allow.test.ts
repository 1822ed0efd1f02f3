import { describe, expect, it } from 'vitest';
import { allowList } from '../../tools/http/allow.ts';
import { http } from '../../tools/http/http.ts';
import { ToolError } from '../../tools/tool.ts';
import { failureOf } from '../support/loopback.ts';
import { toolContext } from '../support/tool-context.ts';

describe('only a host on the list is asked', () => {
  it.each([
    ['https://evil.example/'],
    ['http://api.example.com@evil.example/'],
    ['http://evil.example#@api.example.com/'],
    ['http://evil.example\\@api.example.com/'],
    ['http://user:pw@api.example.com/'],
    ['http://api.example.com:8080/'],
    ['https://api.example.com.:443/'],
    ['https://api.example.com.evil.example/'],
    ['https://xapi.example.com/'],
    ['https://wild.example/'],
    ['https://a.wild.example./'],
    ['https://evilwild.example/'],
    ['http://127.0.0.1/'],
    ['http://2130706433:8080/'],
    ['http://[::ffff:127.0.0.1]:8080/'],
    ['http://[::]:8080/'],
    ['http://localhost:8080/'],
    ['http://0.0.0.0:8080/'],
    ['file:///etc/passwd'],
    ['ftp://api.example.com/'],
    ['data:text/plain,hello'],
    ['//api.example.com/'],
    ['api.example.com'],
    [''],
  ])('which %s is not', async (url) => {
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

  it.each([
    [[]],
    [['*']],
    [['*.']],
    [['']],
    [['https://a.example']],
    [['a.example/x']],
    [['a@b']],
    [['::1']],
    [['a b']],
  ])('the list %j is refused when the tool is made', (allow) => {
    expect(() => http({ allow })).toThrow(/^http: allow /);
  });

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
