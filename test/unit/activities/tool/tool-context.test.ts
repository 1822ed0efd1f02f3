import { describe, expect, it, test } from 'vitest';
import { createDeferral } from '../../../../activities/tool/tool-context.ts';
import type { Heartbeat } from '../../../../agent/calls/heartbeat-record.ts';
import { readToken } from '../../../../agent/calls/defer-token.ts';
import { environmentSigner } from '../../../../features/encryption/token-signer.ts';
import { readArguments } from '../../../../agent/prompt/tool-arguments.ts';
import type { Json } from '../../../../agent/values/vocabulary.ts';
import { elasticsearch, http, mcp, python } from '../../../../index.ts';
import { askJson } from '../../../../adapters/tools/http/json.ts';
import { secretsOf } from '../../../../adapters/tools/mcp/server-secrets.ts';
import { agent, problemOf, tool } from '../../../support/config.ts';
import { failureOf, loopback } from '../../../support/loopback.ts';
import { toolContext } from '../../../support/tool-context.ts';

const info = { workflowExecution: { workflowId: 'run a:b', runId: 'r' }, activityId: '1/3.1~2' };

/** A heartbeat record that stores at once, as far as `store` lets it. */
function heartbeat(record: Heartbeat = {}, store: () => Promise<void> = () => Promise.resolve()) {
  const stored: Heartbeat[] = [];
  const writer = {
    record,
    stored,
    async store(patch: Partial<Heartbeat>) {
      Object.assign(record, patch);
      await store();
      stored.push({ ...record });
    },
  };
  return writer;
}

describe('the token of a deferred call', () => {
  test('names its call, in whichever schedule, and is stored before the tool has it', async () => {
    const beats = heartbeat();
    const { token } = await createDeferral(info, beats).defer();
    expect(readToken(token)).toMatchObject({ id: 'run a:b', call: '1/3.1' });
    expect(beats.stored).toEqual([{ token }]);
  });

  test('cannot be computed: the same call has another one in another record', async () => {
    const records = [heartbeat(), heartbeat()];
    const made = await Promise.all(records.map((beats) => createDeferral(info, beats).defer()));
    expect(new Set(made.map(({ token }) => readToken(token)?.secret)).size).toBe(2);
  });

  test('is the same whenever it is asked for, and in the next attempt, which stores nothing again', async () => {
    const beats = heartbeat();
    const deferral = createDeferral(info, beats);
    const [first, second] = await Promise.all([deferral.defer(), deferral.defer()]);
    expect(await createDeferral(info, beats).defer()).toEqual(first);
    expect(second).toEqual(first);
    expect(beats.stored).toHaveLength(1);
  });
});

describe('the key that signs tokens', () => {
  const key = 'k'.repeat(32);
  const signerOf = (RELOOP_DEFER_KEY?: string) => environmentSigner({ RELOOP_DEFER_KEY });

  test('is not there where the variable is not set', () => {
    expect([signerOf(), signerOf('')]).toEqual([undefined, undefined]);
  });

  test('signs the token that the tool gets, and not the one that is recorded', async () => {
    const beats = heartbeat();
    const { token } = await createDeferral(info, beats, signerOf(key)?.sign).defer();
    expect(token).toBe(`${beats.record.token}:${signerOf(key)?.sign(beats.record.token ?? '')}`);
    expect(readToken(token)).toMatchObject({ id: 'run a:b', call: '1/3.1' });
  });

  test('is the first of several, and each of them accepts its signatures', () => {
    const signature = signerOf(key)?.sign('token') ?? '';
    const newer = signerOf(`${'n'.repeat(32)}, ${key}`);
    expect(newer?.sign('token')).not.toBe(signature);
    const accepted = (token: string, given: string) => newer?.isSigned(token, given);
    expect([accepted('token', signature), accepted('token', newer?.sign('token') ?? '')]).toEqual([
      true,
      true,
    ]);
    expect([accepted('other', signature), accepted('token', ''), accepted('token', 'x')]).toEqual([
      false,
      false,
      false,
    ]);
  });

  test.each(['short', `${key},`, `${key},short`])('is refused as %s', (value) => {
    expect(() => signerOf(value)).toThrow('a key has at least 32 characters');
  });
});

describe('the result of a call', () => {
  test('is its own without defer()', async () => {
    const deferral = createDeferral(info, heartbeat());
    expect(await deferral.resultOf({ output: 'done' })).toEqual({ output: 'done' });
  });

  test('is deferred, with the token, also where the tool has not awaited defer()', async () => {
    const deferral = createDeferral(info, heartbeat());
    const asked = deferral.defer();
    const ended = await deferral.resultOf({ output: 'queued' });
    expect(ended).toEqual({ output: 'queued', kind: 'deferred', ...(await asked) });
  });

  test('is an error where the token could not be stored, whatever the tool made of that', async () => {
    const refuses = () => Promise.reject(new Error('not ours'));
    const deferral = createDeferral(info, heartbeat({}, refuses));
    void deferral.defer();
    await expect(deferral.resultOf({ output: 'queued' })).rejects.toThrow('not ours');
  });
});

describe('the arguments of a tool call', () => {
  test.each(['', '{}', 'null', '[]', '""', '0', 'false'])('%j are none', (text) => {
    expect(readArguments(text)).toEqual({});
  });

  test.each<[text: string, input: Json]>([
    [' {"city": "Rome", "days": 2} ', { city: 'Rome', days: 2 }],
    ['{"n": 1.0}', { n: 1 }],
    ['{"__arg1": "hi"}', 'hi'],
    ['{"__arg1": ""}', ''],
    ['{"__arg1": "it\'s"}', "it's"],
    ['{"__arg1": "hi", "more": 1}', 'hi'],
    ['{"__arg1": {"a": true}}', { a: true }],
    ['{"query": "hi"}', { query: 'hi' }],
    ['{"code": "a\n\tb"}', { code: 'a\n\tb' }],
    ['{"a": "\\\\", "b": "\n"}', { a: '\\', b: '\n' }],
  ])('%j are read as %j', (text, input) => {
    expect(readArguments(text)).toEqual(input);
  });

  const objects = [
    '{"a": 1',
    '{a: 1}',
    "{'a': 1}",
    '{"a": 1,}',
    '{"a": NaN}',
    '{"a": 1}{"b": 2}',
    '{"a": "\\\n"}',
  ];
  test.each([...objects, '  ', 'plain words', '[1]', '"x"', '5', 'true'])(
    '%j are refused with a reason',
    (text) => {
      expect(() => readArguments(text)).toThrow(/./u);
    },
  );

  test('are refused where they are nested too deep to be recorded', () => {
    const nested = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    expect(readArguments(nested(400))).toHaveProperty('a');
    for (const levels of [501, 5_000, 100_000]) {
      expect(() => readArguments(nested(levels))).toThrow(/nested more than 500 levels deep/u);
    }
  });

  test('hold no half of a character', () => {
    expect(readArguments('{"a": "x\\ud83d", "\ude00": 1}')).toEqual({ a: 'x\ufffd', '\ufffd': 1 });
  });

  test('may be as long as a reply gets', () => {
    const long = 'a\n"'.repeat(500_000);
    expect(readArguments(JSON.stringify({ long }))).toEqual({ long });
    expect(() => readArguments('"\\"'.repeat(500_000))).toThrow();
    expect(() => readArguments(`{"a": "${'\\"'.repeat(1_000_000)}`)).toThrow();
  });
});

/** The numeric options of our tools. The URL and the command are not asked before the check. */
const own: [option: string, make: (value: never) => unknown][] = [
  ['http: maxBytes', (maxBytes) => http({ allow: ['a.example'], maxBytes })],
  ['elasticsearch: size', (size) => elasticsearch({ url: 'http://a.example', index: 'i', size })],
  ['mcp: connectTimeoutMs', (connectTimeoutMs) => mcp({ command: 'none' }, { connectTimeoutMs })],
  ['python: memoryMb', (memoryMb) => python({ memoryMb })],
];

/** Those of every tool. */
const common: [option: string, fields: (value: number) => object][] = [
  ['maxOutputChars', (value) => ({ maxOutputChars: value })],
  ['timeout', (value) => ({ timeout: value })],
  ['retry.maxAttempts', (value) => ({ retry: { maxAttempts: value } })],
  ['retry.initialInterval', (value) => ({ retry: { initialInterval: value } })],
  ['retry.maximumInterval', (value) => ({ retry: { maximumInterval: value } })],
  ['retry.backoffCoefficient', (value) => ({ retry: { backoffCoefficient: value } })],
  ['askTimeout', (value) => ({ askTimeout: value })],
];

test.each([63, 64.5])('a memory limit of %d MB is refused', (memoryMb) => {
  expect(() => python({ memoryMb })).toThrow(/memoryMb is .*64 or more/u);
});

describe.each(own)('%s', (option, make) => {
  const refused = [NaN, -1, 0, Infinity, -Infinity, 1.5, 1e300, '100', null];
  test.each(refused)('is refused when it is %s', async (value) => {
    const made = (async () => make(value as never))();
    await expect(made).rejects.toThrow(`${option} is ${value}; give a whole number of `);
  });
});

describe.each(common)('the option %s of any tool', (option, fields) => {
  test.each([NaN, -1, Infinity, -Infinity])('is refused when it is %d', (value) => {
    const problem = problemOf({ agents: [agent({ tools: [tool(fields(value))] })] });
    expect(problem).toContain(option.replace(/^.*\./u, ''));
  });
});

test.each([
  ['maxOutputChars', { maxOutputChars: 1.5 }],
  ['maxAttempts', { retry: { maxAttempts: 1.5 } }],
])('a count cannot be a fraction: %s', (option, fields) => {
  expect(problemOf({ agents: [agent({ tools: [tool(fields)] })] })).toContain(option);
});

const KEY = 'sk-0123456789abcdef0123456789abcdef';

/** The http tool with headers of the config, asked once. */
function send(allow: string[], url: string, headers: { [name: string]: string }) {
  const tool = http({ allow, headers });
  return Promise.resolve(tool.run(tool.parseInput(url) as never, toolContext()));
}

describe('a value that a tool sends with a request is not shown where the service repeats it', () => {
  it('even where the message is cut within it', async () => {
    const { url } = await loopback({ status: 400, body: `${'x'.repeat(485)}${KEY}` });
    const service = { name: 'S', address: url, secrets: [KEY], complaint: () => undefined, advice: () => '' };
    const error = await failureOf(askJson(service, new URL(url), {}, new AbortController().signal));
    expect(String(error)).toContain('x***');
    expect(String(error)).not.toContain('sk-');
  });

  it.each([200, 400, 503])('by the http tool, in an answer of status %d', async (status) => {
    const { url, host } = await loopback(({ headers }) => ({ status, body: { headers, more: 'is told' } }));
    const headers = { authorization: 'Bearer t0ken', 'x-team': 'a-long-value-1', accept: 'application/json' };
    const said = await send([host], url, headers).catch((error: unknown) => String(error));
    expect(said).toContain('"authorization":"***","x-team":"a-long-value-1","accept":"application/json"');
    expect(said).toContain('is told');
  });

  it('by the http tool, where the service says the password', async () => {
    const { url, host } = await loopback({ body: 'bob may, by p4ssw0rd' });
    const headers = { authorization: `Basic ${Buffer.from('bob:p4ssw0rd').toString('base64')}` };
    expect(await send([host], url, headers)).toContain('bob may, by ***');
  });

  it('by the http tool, in the address of a redirect that is not followed', async () => {
    const { url, host } = await loopback(({ headers }) => ({
      status: 302,
      headers: { location: `http://other.example/${String(headers['x-key'])}?key=1` },
    }));
    const error = await failureOf(send([host], url, { 'x-key': 'k-1234' }));
    expect(String(error)).toContain('redirects to http://other.example/***, which may not be asked');
  });
});

const script = ['/etc/my/config.json', '--read-only', 'export A=b; c'];

describe("an MCP server's settings", () => {
  it.each<[string, string[], string[]]>([
    ['an option with its value', ['--api-key=k-1234'], ['k-1234']],
    ['the value after an option', ['--token', 'k-1234', '--port', '8080'], ['k-1234']],
    ['a setting', ['API_KEY=k-1234', 'DEBUG=1'], ['k-1234']],
    ['the password of an address', ['postgresql://admin:p%40ss@db.example/prod'], ['p%40ss', 'p@ss']],
    ['the query of an address', ['http://a.example/x?key=k-1234'], ['k-1234']],
    ['a long argument', ['0123456789abcdef'], ['0123456789abcdef']],
    ['nothing of a path, a flag, or a line of a script', script, []],
  ])('holds secrets: %s', (_what, args, secrets) => {
    const found = secretsOf({ command: 'npx', args: ['-y', '@scope/some-server-of-a-kind', ...args] });
    expect([...new Set(found)]).toEqual(secrets);
  });

  it('in its address is the path that a service gave to one user', () => {
    const url = 'https://mcp.example.com/s/0123456789abcdef/mcp';
    const found = secretsOf({ url, headers: { 'x-key': 'k-1234' } });
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
