import { describe, expect, it } from 'vitest';
import { askJson } from '../../tools/http/json.ts';
import { http } from '../../tools/http/http.ts';
import { mcp } from '../../tools/index.ts';
import { secretsOf } from '../../tools/mcp/server-secrets.ts';
import { failureOf, loopback } from '../support/loopback.ts';
import { toolContext } from '../support/tool-context.ts';

const KEY = 'sk-0123456789abcdef0123456789abcdef';

/** The http tool with headers of the config, asked once. */
function send(allow: string[], url: string, headers: { [name: string]: string }) {
  const tool = http({ allow, headers });
  return Promise.resolve(tool.run(tool.parseInput(url) as never, toolContext()));
}

describe('what a tool sends with a request is not shown where the service repeats it', () => {
  it('and the message is cut inside of it', async () => {
    const { url } = await loopback({ status: 400, body: `${'x'.repeat(485)}${KEY}` });
    const service = {
      name: 'S',
      address: url,
      secrets: [KEY],
      complaint: () => undefined,
      advice: () => '',
    };
    const error = await failureOf(askJson(service, new URL(url), {}, new AbortController().signal));
    expect(String(error)).toContain('x***');
    expect(String(error)).not.toContain('sk-');
  });

  it.each([200, 400, 503])('by the http tool, in an answer of status %d', async (status) => {
    const { url, host } = await loopback(({ headers }) => ({ status, body: { headers, more: 'is told' } }));
    const headers = { authorization: 'Bearer t0ken', 'x-team': 'a-long-value-1', accept: 'application/json' };
    const said = await send([host], url, headers).catch((error: unknown) => String(error));
    expect(said).toContain('"authorization":"***","x-team":"***","accept":"application/json"');
    expect(said).toContain('is told');
  });

  it('by the http tool, in the address of a redirect that is not followed', async () => {
    const { url, host } = await loopback(({ headers }) => ({
      status: 302,
      headers: { location: `http://other.example/?key=${String(headers['x-key'])}` },
    }));
    const error = await failureOf(send([host], url, { 'x-key': 'k-1234' }));
    expect(String(error)).toContain('redirects to http://other.example/?key=***, which may not be asked');
  });
});

describe('what an MCP server is given', () => {
  it.each<[string, string[], string[]]>([
    ['an option with its value', ['--api-key=k-1234'], ['k-1234']],
    ['the value after an option', ['--token', 'k-1234', '--port', '8080'], ['k-1234']],
    ['a setting', ['API_KEY=k-1234', 'DEBUG=1'], ['k-1234']],
    ['the password of an address', ['postgresql://admin:p%40ss@db.example/prod'], ['p%40ss', 'p@ss']],
    ['the query of an address', ['http://a.example/x?key=k-1234'], ['k-1234']],
    ['a long argument', ['0123456789abcdef'], ['0123456789abcdef']],
    [
      'nothing of a path, a flag, or a line of a script',
      ['/etc/my/config.json', '--read-only', 'export A=b; c'],
      [],
    ],
  ])('holds secrets: %s', (_what, args, secrets) => {
    const found = secretsOf({ command: 'npx', args: ['-y', '@scope/some-server-of-a-kind', ...args] });
    expect([...new Set(found)]).toEqual(secrets);
  });

  it('in its address is the path that a service gave to one user', () => {
    const found = secretsOf({
      url: 'https://mcp.example.com/s/0123456789abcdef/mcp',
      headers: { 'x-key': 'k-1234' },
    });
    expect([...new Set(found)]).toEqual(['0123456789abcdef', 'k-1234']);
  });

  it('is not in the message where the server says it and ends', async () => {
    const script = 'echo "no access with $API_KEY and $1" >&2; exit 1';
    const args = ['-c', script, 'sh', '--password=p-5678'];
    const error = await failureOf(mcp({ command: 'sh', args, env: { API_KEY: 'k-1234' } }));
    expect(error).toMatchObject({ name: 'McpUnavailable' });
    expect(error).not.toHaveProperty('cause');
    expect(String(error)).toContain('it ended, saying: no access with *** and --password=***');
  });
});
