import { describe, expect, test } from 'vitest';
import * as reloop from '../../../../index.ts';
import { azureOpenAI, elasticsearch, http, mcp, openai, search } from '../../../../index.ts';
import type { Model, Tool } from '../../../../index.ts';
import { callContext, modelRequest } from '../../../support/model-calls.ts';
import { type LoopbackAnswer, deadHost, loopback } from '../../../support/loopback.ts';
import { toolContext } from '../../../support/tool-context.ts';

const KEY = 'K3y-0123456789abcdef';
const PASSWORD = 'S3cretPassw0rd';
const IN_QUERY = 'S3cretQuery123456';
const SECRETS = [KEY, PASSWORD, IN_QUERY];

/** One export of `reloop` that takes a URL. */
interface Row {
  name: string;
  /** Makes it with this URL and KEY in everything that is sent, and uses it once. `hosts`: all that may be asked. */
  use(url: string, hosts: string[]): unknown;
}
const secretHeaders = () => ({ authorization: `Bearer ${KEY}`, ...headers() });
const toolRows: Row[] = [
  { name: 'elasticsearch', use: (url) => run(elasticsearch({ url, index: 'i', auth: { apiKey: KEY } })) },
  { name: 'search', use: (url) => run(search({ baseURL: url, apiKey: KEY })) },
  { name: 'mcp', use: (url) => mcp({ url, headers: secretHeaders() }) },
  { name: 'http', use: (url, allow) => run(http({ allow, headers: secretHeaders() }), url) },
];

const headers = () => ({ 'x-gateway-key': KEY });
const azure = { apiVersion: '2024-10-21', apiKey: KEY, headers };
const modelRows: Row[] = [
  { name: 'openai', use: (baseURL) => call(openai({ baseURL, apiKey: KEY, headers })) },
  { name: 'azureOpenAI', use: (endpoint) => call(azureOpenAI({ endpoint, ...azure })) },
];

/**
 * Functions of `reloop` that take no HTTP URL from a config: a database redirects nobody. Temporal's address is the worker's, a model of the AI SDK
 * has its own, and `fetchWithoutTimeout` is a `fetch` for such a model.
 */
const WITHOUT_URL = [
  'ConfigError ModelError OutputParserError ReloopPlugin ToolError ToolInputError agentTool asText builtInKind',
  'calculator contentText createWorker defineAgent defineConfig defineKind defineModel defineTool externalTool',
  'fetchWithoutTimeout fill fromLangChain fromVercel fromVercelModel human inProcessMemory memory outliveStrayErrors postgresMemory promptParts python',
  'runAgentHere sqliteMemory startEmbedded',
].flatMap((names) => names.split(' '));

test('every function of the package either has a row here or takes no URL', () => {
  const functions = Object.entries(reloop).flatMap(([name, it]) => (typeof it === 'function' ? [name] : []));
  const rows = [...toolRows, ...modelRows].map(({ name }) => name);
  expect(functions.toSorted()).toEqual([...rows, ...WITHOUT_URL].toSorted());
});

const URLS: readonly (readonly [what: string, url: (host: string) => string])[] = [
  ['a password', (host) => `http://bob:${PASSWORD}@${host}/base`],
  ['a key in its query', (host) => `http://${host}/base?subscription-key=${IN_QUERY}`],
  ['a key in its fragment', (host) => `http://${host}/base#${IN_QUERY}`],
  ['another scheme', (host) => `ftp://bob:${PASSWORD}@${host}/base?key=${IN_QUERY}`],
  ['no form of a URL', () => `http://bob:${PASSWORD}@[?key=${IN_QUERY}`],
];

const echo = `you sent ${KEY} and ${IN_QUERY} of ${PASSWORD}`;

const ANSWERS: readonly LoopbackAnswer[] = [
  { status: 500, body: 'nope' },
  { status: 401, body: 'nope' },
  { status: 302, headers: { location: `http://bob:${PASSWORD}@other.example/?key=${IN_QUERY}` } },
  { status: 302, headers: { location: 'http://[' } },
  { status: 200, body: 'no JSON' },
];

describe.each([...toolRows, ...modelRows])('$name', ({ use }) => {
  test.each(URLS)('shows nothing of its URL that may be secret: %s', async (_what, urlOf) => {
    const dead = await deadHost();
    const messages = [await messageOf(use, urlOf(dead), [dead])];
    for (const answer of ANSWERS) {
      const { host } = await loopback(answer);
      messages.push(await messageOf(use, urlOf(host), [host]));
    }
    expect(messages.filter((message) => SECRETS.some((secret) => message.includes(secret)))).toEqual([]);
  });

  test('shows no key that a server repeats', async () => {
    const { url, host } = await loopback({ status: 500, body: echo });
    expect(await messageOf(use, url, [host])).not.toContain(KEY);
  });

  test.each([301, 302, 303, 307, 308])(
    'takes no header of the config to another origin by a %d',
    async (status) => {
      const other = await loopback({});
      const elsewhere = (path: string) => ({ location: `${other.url}${path.replace(/\?.*/u, '')}` });
      const { url, host, requests } = await loopback(({ path }) => ({ status, headers: elsewhere(path) }));
      await messageOf(use, url, [host, other.host]);
      expect(JSON.stringify(requests)).toContain(KEY);
      expect(JSON.stringify(other.requests)).not.toContain(KEY);
    },
  );
});

function run(tool: Tool, input: string | object = 'words'): unknown {
  return tool.run(tool.parseInput(input as never) as never, toolContext());
}

function call(model: Model): unknown {
  return model.call(modelRequest(), callContext());
}

/** Everything that a failure shows, its causes included; '' where there is none. */
async function messageOf(use: Row['use'], url: string, hosts: string[]): Promise<string> {
  try {
    await use(url, hosts);
    return '';
  } catch (error) {
    return shown(error);
  }
}

function shown(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return [String(error), error.stack ?? '', error.cause === undefined ? '' : shown(error.cause)].join('\n');
}
