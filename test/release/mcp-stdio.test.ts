import { execa } from 'execa';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import type { Json } from '../../agent/values/vocabulary.ts';
import { type McpOptions, type Tool, mcp } from '../../adapters/tools/index.ts';
import { alive, processes, until } from '../support/processes.ts';
import { toolContext } from '../support/tool-context.ts';

const server = ['--import', 'tsx', 'test/fixtures/mcp-stdio.ts'];
const client = ['--import', 'tsx', 'test/fixtures/mcp-client.ts'];
const started: number[] = [];

afterEach(() => {
  vi.unstubAllEnvs();
});
afterAll(() => {
  for (const pid of started.filter(runs)) process.kill(pid, 'SIGKILL');
});

/** The test server as a process: calls its tools, as the runner does. */
async function rig(env: { [name: string]: string } = {}) {
  const tools = await mcp({ command: process.execPath, args: server, env });
  const call = async (name: string, input: Json = {}) => {
    const tool = tools.find((one) => one.name === name);
    return String(await tool?.run(tool.parseInput(input) as never, toolContext()));
  };
  const pid = async () => {
    const own = Number(await call('pid'));
    started.push(own);
    return own;
  };
  return { call, pid };
}

function runs(pid: number): boolean {
  return processes().some((row) => row.pid === pid);
}

/** Loads the tools of a shell script that is not an MCP server. */
function load(script: string, options: McpOptions = {}): Promise<Tool[]> {
  return mcp({ command: 'sh', args: ['-c', script] }, { connectTimeoutMs: 500, ...options });
}

describe('an MCP server in a process', () => {
  test('stays between calls, and gets only the environment that it was given', async () => {
    vi.stubEnv('NOT_GIVEN', 'secret');
    const { call, pid } = await rig({ GIVEN: 'a value' });
    expect(await call('secrets')).toBe('["a value",null]');
    expect(await pid()).toBe(await pid());
    expect(await call('add', '{"a": 1, "b": 2}')).toBe('3');
  });

  test('fails the call in which it died, and is started again for the next', async () => {
    const { call, pid } = await rig();
    const first = await pid();
    await expect(call('die')).rejects.toMatchObject({ name: 'McpUnavailable' });
    expect(await pid()).not.toBe(first);
  });

  test('is started again unnoticed where it died between calls', async () => {
    const { call, pid } = await rig();
    const first = await pid();
    const { group = 0 } = processes().find((row) => row.pid === first) ?? {};
    process.kill(first, 'SIGKILL');
    await until(() => !alive(group));
    expect(await call('add', { a: 1, b: 1 })).toBe('2');
    expect(await pid()).not.toBe(first);
  });

  test('does not keep a process alive that has nothing else to do, and ends with it', async () => {
    const { stdout } = await execa(process.execPath, [...client, process.execPath, ...server]);
    const pid = Number(stdout);
    expect(pid).toBeGreaterThan(0);
    await until(() => !runs(pid));
  });

  test.each<{ what: string; options: string[] }>([
    { what: 'a server that ends with its input', options: [] },
    { what: 'a server that would stay', options: ['--stay'] },
  ])('is gone when the process that started it is killed: $what', async ({ options }) => {
    const args = [...client, '--stay', process.execPath, ...server, ...options];
    const parent = execa(process.execPath, args, { reject: false });
    const pid = await new Promise<number>((resolve) => {
      parent.stdout.once('data', (line: Buffer) => resolve(Number(line.toString())));
    });
    expect(runs(pid)).toBe(true);
    parent.kill('SIGKILL');
    await until(() => !runs(pid));
  });
});

/** An MCP server in plain JavaScript: a tool that answers with the lines that it is given (`ID`: the request's id), and one for its process. */
const byHand = `
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const say = (result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
  const tool = { name: 'says', inputSchema: { type: 'object' } };
  const own = { capabilities: { tools: {} }, serverInfo: { name: 'by hand', version: '1' } };
  if (method === 'initialize') say({ protocolVersion: params.protocolVersion, ...own });
  if (method === 'tools/list') say({ tools: [tool, { ...tool, name: 'pid' }] });
  if (method === 'server/discover') console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: method } }));
  if (method !== 'tools/call') return;
  if (params.name === 'says') console.log(params.arguments.line.replaceAll('ID', id));
  else say({ content: [{ type: 'text', text: String(process.pid) }] });
});`;

const NAN = '{"jsonrpc":"2.0","id":ID,"result":{"n":NaN}}';

describe('a line of an MCP server that is not a message', () => {
  const calls = async () => {
    const [says, pid] = await mcp({ command: process.execPath, args: ['-e', byHand] });
    const ask = async (tool: Tool | undefined, input: Json) =>
      String(await tool?.run(tool.parseInput(input) as never, toolContext()));
    return { says: (line: string) => ask(says, { line }), pid: () => ask(pid, {}) };
  };

  test.each<[string, string, RegExp]>([
    ['has no jsonrpc', '{"id":ID,"result":{"content":[]}}', /what it says is not MCP: /u],
    ['has a text as its result', '{"jsonrpc":"2.0","id":ID,"result":"x"}', /what it says is not MCP: /u],
    ['is Python with NaN', NAN, /what it says is not MCP: .*JSON/u],
    ['is cut', '{"jsonrpc":"2.0","id":ID,"error":{', /what it says is not MCP: .*JSON/u],
  ])('fails the call that it answers, and leaves the server running: it %s', async (_what, line, reason) => {
    const { says, pid } = await calls();
    const before = await pid();
    const message = expect.stringMatching(reason);
    await expect(says(line)).rejects.toMatchObject({ name: 'McpUnavailable', message });
    expect(await pid()).toBe(before);
  });

  test('is passed over where it answers no call, or only names an id', async () => {
    const { says } = await calls();
    const words = [
      'Hello ID',
      '{"id":null,"result":1}',
      '{"id":ID,"method":7}',
      '{"jsonrpc":"2.0","result":{"id":ID,"n":NaN}}',
      '{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"at last"}]}}',
    ];
    expect(await says(words.join('\n'))).toBe('at last');
  });

  test('ends a server when it is too long', async () => {
    const { says, pid } = await calls();
    const before = await pid();
    const told = /it ended without a message; .*more than 10485760 bytes/u;
    await expect(says('x'.repeat(11_000_000))).rejects.toThrow(told);
    expect(await pid()).not.toBe(before);
  });
});

describe('a command that is not an MCP server', () => {
  test.each<{ what: string; script: string; reason: RegExp }>([
    { what: 'fails', script: 'echo no such key >&2; exit 1', reason: /it ended, saying: no such key/u },
    { what: 'ends without a message', script: 'exit 0', reason: /it ended without a message/u },
    { what: 'says nothing', script: 'exec sleep 60', reason: /did not answer within 0\.5 s/u },
    {
      what: 'says why it waits',
      script: 'echo busy >&2; exec sleep 60',
      reason: /within 5 s and said: busy/u,
    },
    { what: 'prints something else', script: 'echo Hello; exec sleep 60', reason: /is not MCP \(.*Hello/u },
    {
      what: 'repeats what it is told',
      script: 'exec cat',
      reason: /^MCP server sh …: .*does not answer initialize/u,
    },
  ])('says so at load when it $what', async ({ script, reason }) => {
    // A slow machine needs longer than half a second until a script has said its words.
    const options = reason.source.includes('0\\.5 s') ? {} : { connectTimeoutMs: 5_000 };
    const message = expect.stringMatching(reason);
    await expect(load(script, options)).rejects.toMatchObject({ name: 'McpUnavailable', message });
  });

  test('says so at load when there is no such command', async () => {
    const told = /^MCP server no-such-server-anywhere: it ended, saying: .*not found/u;
    await expect(mcp({ command: 'no-such-server-anywhere' })).rejects.toThrow(told);
  });

  test('says so at load when there is no such folder', async () => {
    await expect(mcp({ command: 'cat', cwd: '/no/such/folder' })).rejects.toThrow(/ENOENT/u);
  });
});
