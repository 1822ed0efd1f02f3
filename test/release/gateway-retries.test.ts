import { beforeAll, describe, expect, test } from 'vitest';
import { defineTool } from '../../adapters/tools/tool.ts';
import type { AgentDefinition } from '../../config/define.ts';
import type { TokenCaller } from '../../gateway/http/caller.ts';
import { type GatewayServer, type Sent, post, startGateway } from '../support/gateway-server.ts';
import { mcpRequest } from '../support/mcp-requests.ts';
import { useRig } from '../support/rig.ts';
import { modelOf, toolCall } from '../support/scripts.ts';

/** A client that leaves in the middle of its answer, and sends the same request again. */

let notes = 0;
const note = defineTool({
  name: 'note',
  description: 'writes a note',
  run() {
    notes += 1;
    return 'noted';
  },
});
const model = modelOf((step) =>
  step === '1' ? { toolCalls: [toolCall('note', '{"input":"x"}')] } : 'Done.',
);
const agents = [
  { name: 'writer', kind: 'tool-calling', model, tools: [note] },
] as const satisfies AgentDefinition[];
const rig = useRig({ agents });

let gateway: GatewayServer;
const names = ['/v1/chat', '/v1/responses', '/ui', '/ag-ui', '/a2a', '/mcp'] as const;
type Way = (typeof names)[number];
const callerOf = (way: Way): TokenCaller => ({
  name: `leaves ${way}`,
  token: `leaves-${way.replaceAll('/', '-')}-0123456789`,
  tenant: 'leaves',
  scopes: ['chat', 'run', 'read'],
});
beforeAll(async () => {
  gateway = await startGateway(rig.client, { tokens: names.map(callerOf), agents });
  return () => gateway.stop();
});

const key = { 'idempotency-key': 'the-key' };
const user = { role: 'user', content: 'Write.' };
const requests: { readonly [W in Way]: Sent } = {
  '/v1/chat': {
    path: '/v1/chat/completions',
    body: { model: 'writer', messages: [user], stream: true },
    headers: key,
  },
  '/v1/responses': {
    path: '/v1/responses',
    body: { model: 'writer', input: [user], stream: true },
    headers: key,
  },
  '/ui': {
    path: '/ui/writer/chat',
    body: { id: 'leaves', messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Write.' }] }] },
  },
  '/ag-ui': {
    path: '/ag-ui/writer',
    body: { threadId: 'leaves-thread', runId: 'r', messages: [{ id: 'm', ...user }] },
  },
  '/a2a': {
    path: '/a2a/writer',
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'SendStreamingMessage',
      params: { message: { messageId: 'leaves', role: 'ROLE_USER', parts: [{ text: 'Write.' }] } },
    },
  },
  '/mcp': {
    path: '/mcp',
    ...mcpRequest(
      'tools/call',
      {
        name: 'writer',
        arguments: { input: 'Write.' },
        _meta: { 'reloop/idempotency-key': 'leaves' },
      },
      {},
    ),
  },
};

function send(way: Way, sent: Sent, signal?: AbortSignal): Promise<Response> {
  return post(gateway, callerOf(way).token, sent, signal);
}

test.each(names)('over %s is one run, with its effect once', async (way) => {
  const before = notes;
  for (const _ of [1, 2]) {
    const leave = new AbortController();
    const { body, status } = await send(way, requests[way], leave.signal);
    expect(status).toBe(200);
    await body?.getReader().read();
    leave.abort();
  }
  const again = await send(way, requests[way]);
  expect([again.status, await again.text()]).toEqual([200, expect.stringContaining('Done.')]);
  expect(notes).toBe(before + 1);
});

describe('names that are left empty', () => {
  const empty = { 'idempotency-key': '' };
  const start = { agent: 'writer', input: 'Write.' };
  test.each<[string, Sent]>([
    ['an id', { path: '/runs', body: { ...start, id: '' } }],
    ['a session', { path: '/runs', body: { ...start, session: '' } }],
    ['a key', { path: '/runs', body: start, headers: empty }],
    [
      'a session of a chat',
      {
        path: '/v1/chat/completions',
        body: { model: 'writer', messages: [user], metadata: { session: '' } },
      },
    ],
    [
      'a conversation',
      { path: '/v1/responses', body: { model: 'writer', input: 'Write.', conversation: '' } },
    ],
    [
      'a key of OpenAI',
      { path: '/v1/responses', body: { model: 'writer', input: 'Write.' }, headers: empty },
    ],
  ])('are refused, for all who leave them empty would share them: %s', async (_, sent) => {
    const before = notes;
    const response = await send('/v1/chat', sent);
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('empty')]);
    expect(notes).toBe(before);
  });

  test('are as if left out in a call of MCP, where a model fills in each field', async () => {
    const body = (n: number) =>
      mcpRequest('tools/call', { name: 'writer', arguments: { input: `Write ${n}.`, session: '' } }, {});
    for (const n of [1, 2])
      expect(await (await send('/mcp', { path: '/mcp', ...body(n) })).text()).toContain('Done.');
    const listed = async () =>
      (await rig.client.listPage({ owner: callerOf('/mcp').name, text: 'Write ' })).runs.map(
        ({ session }) => session,
      );
    await expect.poll(listed).toEqual([undefined, undefined]);
  });
});
