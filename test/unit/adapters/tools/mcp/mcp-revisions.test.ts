import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { type McpOptions, mcp } from '../../../../../adapters/tools/index.ts';
import { bareServer } from '../../../../support/model-calls.ts';

interface Sent {
  id?: number;
  method: string;
  params?: { protocolVersion?: string };
}
type Answer = { result: object } | { error: object };
type Answers = { [method: string]: Answer };
type Close = (request: IncomingMessage, response: ServerResponse) => void;

const list: Answer = { result: { tools: [{ name: 't', inputSchema: { type: 'object' } }], ttlMs: 0 } };
const initialize = (protocolVersion: string): Answers => ({
  initialize: {
    result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'bare', version: '1' } },
  },
  'tools/list': list,
});
const discovered: Answer = {
  result: { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
};
const modern: Answers = {
  'server/discover': discovered,
  'tools/list': { result: { resultType: 'complete', cacheScope: 'private', ...list.result } },
  initialize: { error: { code: -32_022, message: 'too old', data: { supported: ['2026-07-28'] } } },
};

/** A server by hand. `close` deals with requests that have no answer. `asked`: methods so far, and the revision of `initialize`. */
async function server(
  answers: Answers,
  close: Close = (_request, response) => void response.writeHead(202).end(),
): Promise<{ asked: string[]; load(options?: McpOptions): Promise<string[]> }> {
  const asked: string[] = [];
  const url = await bareServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.on('end', () => {
      const { id, method, params = {} } = JSON.parse(body || '{"method":""}') as Sent; // by the SDK
      if (method === 'notifications/initialized') return void response.writeHead(202).end();
      const { protocolVersion } = params;
      asked.push(protocolVersion === undefined ? method : `${method} ${protocolVersion}`);
      const answer = answers[method];
      if (answer === undefined) return close(request, response);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    });
  });
  const load = async (options: McpOptions = {}) =>
    (await mcp({ url }, { connectTimeoutMs: 10_000, ...options })).map(({ name }) => name);
  return { asked, load };
}

const json = { 'content-type': 'application/json' };
const older = ['initialize 2025-11-25', 'tools/list'];
const twice = ['server/discover', 'server/discover', ...older];
const first = ['server/discover', ...older];

describe('a server that does not know the first question is asked in the older way, and by a new connection, where it', () => {
  test.each<[what: string, Close, asked: string[]]>([
    ['closes the connection', ({ socket }) => void socket.destroy(), twice],
    ['resets the connection', ({ socket }) => void socket.resetAndDestroy(), twice],
    [
      'closes it within the head of its answer',
      ({ socket }) => void socket.end('HTTP/1.1 200 OK\r\ncontent-ty'),
      twice,
    ],
    [
      'closes it within the body of its answer',
      ({ socket }, response) => {
        response.writeHead(200, { ...json, 'content-length': '100' }).write('{');
        setTimeout(() => socket.destroy(), 20);
      },
      twice,
    ],
    ['fails with status 500', (_request, response) => void response.writeHead(500).end(), twice],
    ['answers with nothing', (_request, response) => void response.writeHead(200, json).end(), first],
    ['has no content', (_request, response) => void response.writeHead(204).end(), first],
    [
      'shows a web page',
      (_request, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      first,
    ],
    [
      'answers with JSON that is not MCP',
      (_request, response) => void response.writeHead(200, json).end('{"error":"unknown"}'),
      first,
    ],
  ])('%s', async (_what, close, expected) => {
    const { asked, load } = await server(initialize('2025-11-25'), close);
    expect(await load()).toEqual(['t']);
    expect(asked).toEqual(expected);
  });
});

test('a server of 2026-07-28 is not taken for an older one where its first answer was cut off', async () => {
  let times = 0;
  const answers: Answers = { 'tools/list': modern['tools/list'] ?? list };
  const { asked, load } = await server(answers, ({ socket }) => {
    if (++times === 1) answers['server/discover'] = discovered;
    socket.destroy();
  });
  expect(await load()).toEqual(['t']);
  expect(asked).toEqual(['server/discover', 'server/discover', 'tools/list']);
});

test('a server that lets nobody in is not asked again', async () => {
  const { asked, load } = await server({}, (_request, response) => void response.writeHead(401).end());
  await expect(load()).rejects.toThrow('refuses us (HTTP 401)');
  expect(asked).toEqual(['server/discover']);
});

describe('the option protocolVersion', () => {
  test.each([
    ['2025-06-18', initialize('2025-06-18'), ['initialize 2025-06-18', 'tools/list']],
    ['2024-11-05', initialize('2024-11-05'), ['initialize 2024-11-05', 'tools/list']],
    ['2026-07-28', modern, ['server/discover', 'tools/list']],
  ] as const)('has this revision spoken: %s', async (protocolVersion, answers, expected) => {
    const { asked, load } = await server(answers);
    expect(await load({ protocolVersion })).toEqual(['t']);
    expect(asked).toEqual(expected);
  });

  test.each([
    ['2025-11-25', initialize('2025-06-18')],
    ['2026-07-28', initialize('2025-06-18')],
    ['2025-11-25', modern],
  ] as const)(
    'has no other revision spoken, and is named by the error: %s',
    async (protocolVersion, answers) => {
      const named = `mcp() speaks only ${protocolVersion} with it: see its option protocolVersion`;
      const { load } = await server(answers);
      await expect(load({ protocolVersion })).rejects.toThrow(named);
    },
  );

  test('is refused for a revision that is not known, before the server is asked', async () => {
    const { asked, load } = await server(modern);
    const protocolVersion = '2025-11-26' as NonNullable<McpOptions['protocolVersion']>;
    await expect(load({ protocolVersion })).rejects.toThrow(
      /"2025-11-26" is not .* Known: 2026-07-28, 2025-11/u,
    );
    expect(asked).toEqual([]);
  });
});
