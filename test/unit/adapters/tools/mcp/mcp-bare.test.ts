import { describe, expect, it, test } from 'vitest';
import { mcp } from '../../../../../adapters/tools/index.ts';
import { serverName } from '../../../../../adapters/tools/mcp/server-spec.ts';
import { createGate } from '../../../../support/gate.ts';
import { bareServer } from '../../../../support/model-calls.ts';
import { toolContext } from '../../../../support/tool-context.ts';

interface BareRequest {
  id?: number;
  method?: string;
  params?: { [field: string]: unknown };
}

type BareResult = object | string | number | undefined;

/**
 * An MCP server by hand: the results by method. A text is sent as it is, a number as the
 * status, an object with the one field `error` as an error; what is undefined is never answered.
 */
async function bareMcp(results: {
  [method: string]: (params: { [field: string]: unknown }) => BareResult | Promise<BareResult>;
}): Promise<string> {
  const answers: typeof results = { initialize: initialized, ...results };
  return bareServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.on('end', () => {
      const { id, method = '', params = {} } = JSON.parse(body || '{}') as BareRequest; // written by the SDK
      const answer = answers[method];
      if (answer === undefined) return void response.writeHead(202).end();
      void Promise.resolve(answer(params)).then((result) => {
        if (result === undefined) return;
        if (typeof result === 'number') return void response.writeHead(result).end();
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(typeof result === 'string' ? result : JSON.stringify(answerTo(id, result)));
      });
    });
  });
}

function answerTo(id: number | undefined, result: object) {
  return { jsonrpc: '2.0', id, ...('error' in result ? result : { result }) };
}

const initialized = ({ protocolVersion }: { [field: string]: unknown }) => ({
  protocolVersion,
  capabilities: { tools: {} },
  serverInfo: { name: 'bare', version: '1' },
});
const listed = (name: string) => ({ name, inputSchema: { type: 'object' } });

describe('a list of tools without end', () => {
  test('is given up at the deadline', async () => {
    let pages = 0;
    const page = () => ({ tools: [listed(`t${++pages}`)], nextCursor: `c${pages}` });
    const url = await bareMcp({ 'tools/list': page });
    const late =
      /still listing its tools at the end of connectTimeoutMs, \d+ so far|did not answer within 0\.2 s/u;
    await expect(mcp({ url }, { connectTimeoutMs: 200 })).rejects.toThrow(late);
  });

  test('is given up at some thousand tools', async () => {
    const tools = Array.from({ length: 3_000 }, (_, index) => listed(`t${index}`));
    let pages = 0;
    const url = await bareMcp({ 'tools/list': () => ({ tools, nextCursor: String(++pages) }) });
    await expect(mcp({ url })).rejects.toThrow('it lists more than 5000 tools');
    expect(pages).toBe(2);
  });

  test('is given up at a cursor that was there before', async () => {
    const url = await bareMcp({ 'tools/list': () => ({ tools: [], nextCursor: 'again' }) });
    await expect(mcp({ url })).rejects.toThrow('has no end: it gave one cursor twice');
  });
});

describe('a result', () => {
  async function callBare(results: { [name: string]: () => object | string | number | Promise<object> }) {
    const url = await bareMcp({
      'tools/list': () => ({ tools: Object.keys(results).map(listed) }),
      'tools/call': ({ name }) => results[String(name)]?.(),
    });
    const tools = await mcp({ url });
    return async (name: string): Promise<unknown> =>
      tools.find((one) => one.name === name)?.run({} as never, toolContext());
  }

  const notText = 'Invalid input: expected object, received string at content[1]';
  test.each<[what: string, result: object | string, problem?: string]>([
    ['with no text', { content: [{ type: 'text' }] }, 'a part of type "text" has no text at content[0].text'],
    ['with a part that is not an object', { content: [{ type: 'text', text: 'a' }, 'b'] }, notText],
    ['whose content is one', { content: 'a' }, 'Invalid input: expected array, received string at content'],
    ['that is not a message of MCP', '<html>Welcome</html>'],
  ])('%s fails its call, and no other call', async (_what, result, problem) => {
    const gate = createGate();
    const slow = async () => {
      await gate.pass();
      return { content: [{ type: 'text', text: 'slow is done' }] };
    };
    const call = await callBare({ bad: () => result, slow });
    const other = call('slow');
    await gate.reached(1);
    const message = expect.stringContaining(
      `: the result of bad is not MCP: ${problem}. Correct the server.`,
    ) as string;
    const bad = { name: 'ToolBadResponse', retryable: false, message };
    await expect(call('bad')).rejects.toMatchObject(problem === undefined ? { name: 'McpUnavailable' } : bad);
    await gate.open();
    expect(await other).toBe('slow is done');
  });

  test.each([
    [-32_600, "Cannot send 'elicitation/create': there is no back-channel", 'asks a person'],
    [-32_601, "Reloop's client does not answer sampling/createMessage", 'needs sampling/createMessage'],
    [-32_042, 'Sign in first', 'wants a person to open a page first'],
  ])(
    'with error %s, of a call that needs what our client has not, is final: %s',
    async (code, says, need) => {
      const call = await callBare({ pay: () => ({ error: { code, message: says } }) });
      const message = expect.stringMatching(new RegExp(`: pay ${need}.* The server said: ${says}$`, 'u'));
      await expect(call('pay')).rejects.toMatchObject({ name: 'ToolBadResponse', retryable: false, message });
    },
  );

  test.each([
    [401, true],
    [403, true],
    [404, true],
    [429, true],
    [400, false],
    [500, false],
    [502, false],
  ])('that is status %s says of the call that it was not made: %s', async (status, notDone) => {
    const call = await callBare({ pay: () => status });
    await expect(call('pay')).rejects.toMatchObject({ name: 'McpUnavailable', notDone });
  });

  test('with a part of an unknown kind says so to the model', async () => {
    const call = await callBare({ video: () => ({ content: [{ type: 'video', url: 'x', data: 'AAAA' }] }) });
    const shown = '{"type":"video","url":"x","data":"4 characters of base64"}';
    expect(await call('video')).toBe(`[content of the unknown kind "video"] ${shown}`);
  });

  test('shows the model no bytes of structured content', async () => {
    const data = 'iVBORw0K'.repeat(1_000);
    const picture = { type: 'image', data, mimeType: 'image/png' };
    const page = { page: `data:image/png;base64,${data}==`, id: 'p-17', text: 'word '.repeat(1_000) };
    const call = await callBare({
      twice: () => ({ content: [picture], structuredContent: { result: [picture] } }),
      only: () => ({ content: [], structuredContent: page }),
    });
    const bytes = '8000 characters of base64';
    expect(await call('twice')).toBe(JSON.stringify({ ...picture, data: bytes }));
    expect(await call('only')).toBe(JSON.stringify({ ...page, page: '8002 characters of base64' }));
  });
});

describe('a server by hand', () => {
  test('is refused for a name that a terminal would obey, unless the tool is left out', async () => {
    const url = await bareMcp({ 'tools/list': () => ({ tools: [listed('ok'), listed('a\u001b[2Jb')] }) });
    const named = /: The tool name "aU\+001B\[2Jb" holds .* by the option only\.$/u;
    await expect(mcp({ url })).rejects.toThrow(named);
    await expect(mcp({ url }, { only: ['none'] })).rejects.toThrow(/has no tool "none"\. It has: ok\.$/u);
    expect(await mcp({ url }, { only: ['ok'] })).toHaveLength(1);
  });

  test('says so at load when it starts and then takes too long', async () => {
    const url = await bareMcp({ 'notifications/initialized': () => undefined });
    await expect(mcp({ url }, { connectTimeoutMs: 100 })).rejects.toThrow(/did not answer within 0\.1 s/u);
  });

  test('says what is wrong with its list of tools', async () => {
    const url = await bareMcp({ 'tools/list': () => ({ tools: [{ name: 7 }] }) });
    const wrong =
      /what it says is not MCP: Invalid input: expected string, received number at tools\[0\]\.name$/u;
    await expect(mcp({ url })).rejects.toThrow(wrong);
  });
});

describe('an MCP server is named without what may be secret', () => {
  it.each([
    ['npx', ['-y', '@modelcontextprotocol/server-postgres', 'postgresql://admin:s3cret@db/prod']],
    ['npx', ['-y', '@modelcontextprotocol/server-postgres', '--key=s3cret']],
  ])('so %s %j is npx, its flags and its package', (command, args) => {
    expect(serverName({ command, args })).toBe('npx -y @modelcontextprotocol/server-postgres …');
  });

  it.each<[string, string[], string]>([
    ['server', [], 'server'],
    ['node', ['server.js'], 'node server.js'],
    ['python', ['-m', 'tickets', 's3cret'], 'python -m tickets …'],
    ['server', ['postgresql://admin:s3cret@db/prod'], 'server …'],
    ['server', ['KEY=s3cret'], 'server …'],
    ['sh', ['-c', 'export KEY=s3cret; exec server'], 'sh …'],
    ['npx', ['-y'], 'npx …'],
  ])('so %s %j is %s', (command, args, name) => {
    expect(serverName({ command, args })).toBe(name);
  });

  it('by the origin of its address alone', () => {
    const url = 'https://user:pw@mcp.example.com:8443/api/S3CRET/mcp?key=s3cret';
    expect(serverName({ url })).toBe('https://mcp.example.com:8443');
  });
});
