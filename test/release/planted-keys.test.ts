import { randomBytes } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { connectTo } from '../../client/connect/connect.ts';
import { startScriptedServer } from '../../features/testing/index.ts';
import { reloop } from '../support/cli.ts';
import { type LoopbackRequest, loopback } from '../support/loopback.ts';
import { mcpHttpServer } from '../support/mcp-http.ts';
import { reloopHere } from '../support/reloop-here.ts';

/** Environment variables from which test/fixtures/configs/keys.config.ts reads its keys. */
const places = [
  'KEY_THROWN',
  'KEY_HTTP',
  'KEY_HEADER',
  'KEY_SEARCH',
  'KEY_ELASTIC',
  'KEY_PASSWORD',
  'KEY_MCP',
  'KEY_ARGUMENT',
  'KEY_ENV',
  'KEY_MODEL',
  'KEY_GATEWAY',
  'KEY_BASE_URL',
  'KEY_AZURE',
];
/** Keys that a server of this test receives. */
const sent = places.filter(
  (place) => !['KEY_THROWN', 'KEY_ARGUMENT', 'KEY_ENV', 'KEY_BASE_URL'].includes(place),
);
const keys = Object.fromEntries(places.map((place) => [place, `planted${randomBytes(12).toString('hex')}`]));

/** Repeats the request, with the status that the path names. */
const repeated = ({ method, path, headers, body }: LoopbackRequest) => ({
  status: Number(/^\/(\d{3})\//u.exec(path)?.[1] ?? 200),
  headers: { 'content-type': 'text/plain' },
  body: JSON.stringify({
    method,
    path,
    headers,
    body,
    error: { message: JSON.stringify({ path, headers }) },
  }),
});

/** A text in the forms that a request, a log or JSON may give it. */
const forms = (key: string) => [
  key,
  Buffer.from(key).toString('base64').replace(/=+$/u, ''),
  Buffer.from(`elastic:${key}`).toString('base64'),
  Buffer.from(`user:${key}`).toString('base64'),
];

function foundIn(text: string): string[] {
  return places.filter((place) => forms(keys[place] ?? place).some((form) => text.includes(form)));
}

test(
  'no history, memo, log, page, export or error has a key of a model or a tool',
  { timeout: 180_000 },
  async () => {
    const server = await loopback(repeated);
    const mcp = await mcpHttpServer();
    const calls = [
      { id: 'throwing', name: 'throwing', arguments: JSON.stringify({ __arg1: 'x' }) },
      {
        id: 'http_ok',
        name: 'http_ok',
        arguments: JSON.stringify({ method: 'GET', url: `${server.url}/200/ok` }),
      },
      {
        id: 'http_per_call',
        name: 'http_per_call',
        arguments: JSON.stringify({ method: 'GET', url: `${server.url}/500/no` }),
      },
      { id: 'search_refused', name: 'search_refused', arguments: JSON.stringify({ __arg1: 'x' }) },
      { id: 'search_ok', name: 'search_ok', arguments: JSON.stringify({ __arg1: 'x' }) },
      { id: 'elastic_key', name: 'elastic_key', arguments: JSON.stringify({ __arg1: 'x' }) },
      { id: 'elastic_basic', name: 'elastic_basic', arguments: JSON.stringify({ __arg1: 'x' }) },
      {
        id: 'python3',
        name: 'python3',
        arguments: JSON.stringify({ __arg1: 'import os; print(dict(os.environ))' }),
      },
      { id: 'mcp_echo', name: 'mcp_echo', arguments: JSON.stringify({ text: 'x' }) },
      { id: 'mcp_broken', name: 'mcp_broken', arguments: JSON.stringify({}) },
      { id: 'stdio_die', name: 'stdio_die', arguments: JSON.stringify({}) },
    ];
    const model = await startScriptedServer([...calls.map((call) => ({ toolCalls: [call] })), 'done']);
    const env = {
      ...keys,
      ECHO_URL: server.url,
      MCP_URL: mcp.url,
      OPENAI_BASE_URL: model.url,
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      TEMPORAL_TASK_QUEUE: `keys-${Date.now()}`,
    };
    const config = ['--config', 'test/fixtures/configs/keys.config.ts'];
    const worker = reloop(['worker', ...config], env);
    const temporal = await connectTo(env.TEMPORAL_ADDRESS, 'default');
    const seen: { [place: string]: string } = {};
    try {
      await worker.prints('Worker ready');
      for (const agent of ['caller', 'refused', 'gateway', 'not-json', 'password', 'azure']) {
        const id = `${agent}-${env.TEMPORAL_TASK_QUEUE}`;
        const told = async (...words: string[]) => {
          const { stdout, stderr } = await reloopHere(words, env);
          seen[`${agent}: ${words.join(' ')}`] = stdout + stderr;
        };
        await told('run', agent, 'what?', '--id', id, '--no-wait', '--verbose', ...config);
        await told('show', id);
        await told('show', id, '--json');
        await told('show', id, '--prompt', '1', ...config);
        await told('export', id, '--prompts', ...config);
        await told('export', id, '--html', '--prompts', ...config);
        await told('list', '--agent', agent, '--json');
        const run = temporal.workflow.getHandle(id);
        const { events = [] } = await run.fetchHistory();
        seen[`${agent}: history`] = textOf(events);
        seen[`${agent}: description`] = textOf((await run.describe()).raw);
      }
      seen['worker'] = worker.stdout() + worker.stderr();
    } finally {
      await worker.killGroup();
      await temporal.connection.close();
      await model.close();
    }

    const made = seen['caller: history'] ?? '';
    const unmade = calls.filter(({ name }) => !made.includes(`"activityType":{"name":"${name}"}`));
    expect(unmade).toEqual([]);
    expect(Object.keys(seen)).toHaveLength(6 * 9 + 1);
    expect(Object.entries(seen).filter(([, text]) => text === '')).toEqual([]);
    const received = JSON.stringify([server.requests, mcp.headers]);
    expect(foundIn(received)).toEqual(sent);
    const leaks = Object.entries(seen).flatMap(([place, text]) =>
      foundIn(text).map((key) => `${key} in ${place}`),
    );
    expect(leaks).toEqual([]);
  },
);

/** An object of the server's API as a text, with the data of its payloads in clear. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (name, field: unknown) =>
    name === 'data' && typeof field === 'string' ? Buffer.from(field, 'base64').toString('utf8') : field,
  );
}
