import {
  Client,
  type ClientOptions,
  InMemoryTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fieldOf } from '../../agent/values/values.ts';
import { createGateway } from '../../gateway/gateway.ts';
import { agentServers } from '../../gateway/mcp/agent-server.ts';
import { useRig } from '../support/rig.ts';
import { guarded } from '../support/sample-tools.ts';
import { act, answer, script } from '../support/scripts.ts';

const agents = [
  { name: 'clerk', description: 'answers questions', model: script(answer('forty-two')), tools: [] },
  { name: 'careful one', model: script(act('guarded', 'x'), answer('done')), tools: [guarded] },
];
const rig = useRig({ agents });
const served = agents.map(({ name, description }) => ({ name, description }));
const callers = [
  { token: 'admin-token-0123456789', name: 'root', scopes: ['admin' as const] },
  { token: 'acme-token-01234567890', name: 'ann', tenant: 'mcp-acme', scopes: ['run'] as const },
  { token: 'read-token-01234567890', name: 'rita', scopes: ['read'] as const },
];

/** The ways in which a client finds the revision: the newest that both know, or that of 2025-11-25 with `initialize`. */
const modes = { '2026-07-28': 'auto', '2025-11-25': 'legacy' } as const;
type Revision = keyof typeof modes;
const revisions = Object.keys(modes) as Revision[]; // those of the line above

/** A client of MCP over HTTP. Each of its requests goes to another instance. */
async function overHttp(token: string, revision: Revision, options: ClientOptions = {}): Promise<Client> {
  const transport = new StreamableHTTPClientTransport(new URL('http://gateway/mcp'), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
    fetch: (url, init) =>
      createGateway(rig.client, { tokens: callers, agents: served }).fetch(new Request(url, init)),
  });
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: modes[revision] }, ...options },
  );
  await client.connect(transport);
  onTestFinished(() => client.close());
  expect(client.getNegotiatedProtocolVersion()).toBe(revision);
  return client;
}

const textOf = (result: object) => (fieldOf(result, 'content') as { text: string }[])[0]?.text; // our tools give one text
const called = (client: Client, name: string, given: object, more = {}) =>
  client.callTool({ name, arguments: { ...given }, ...more });

describe.each(revisions)('over HTTP, by revision %s', (revision) => {
  test('each agent is a tool, by a name that MCP allows', async () => {
    const client = await overHttp('admin-token-0123456789', revision);
    const { tools } = await client.listTools();
    expect(tools.map(({ name, description }) => [name, description])).toEqual([
      ['clerk', 'answers questions'],
      ['careful_one', 'Asks the agent careful one.'],
      ['get_run', expect.any(String)],
      ['decide_on_run', expect.any(String)],
    ]);
  });

  test('the answer of an agent is the result of its tool, and the same key gives the same run', async () => {
    const client = await overHttp('acme-token-01234567890', revision);
    const keyed = { _meta: { 'reloop/idempotency-key': `k-${revision}` } };
    const first = await called(client, 'clerk', { input: 'What is it?' }, keyed);
    const second = await called(client, 'clerk', { input: 'What is it?' }, keyed);
    expect(textOf(first)).toBe('forty-two');
    expect(first.structuredContent).toMatchObject({
      id: expect.stringMatching(/^mcp-acme\./u),
      status: 'completed',
    });
    expect(second.structuredContent).toEqual(first.structuredContent);
  });

  test('a run that waits is decided on and read by other requests, with progress', async () => {
    const client = await overHttp('admin-token-0123456789', revision);
    const waiting = await called(client, 'careful_one', { input: 'Do x.' });
    const { id } = waiting.structuredContent as { id: string };
    expect(textOf(waiting)).toContain('1.1: guarded("x"), reason: approval. Decisions: approve, reject');
    await called(client, 'decide_on_run', { id, decision: 'approve', call: '1.1', number: 0 });
    const progress: unknown[] = [];
    const read = await client.callTool(
      { name: 'get_run', arguments: { id } },
      {
        onprogress: ({ message }) => progress.push(message),
      },
    );
    expect(textOf(read)).toBe('done');
    expect(progress).toContain('1.1 guarded');
    const again = await called(client, 'decide_on_run', { id, decision: 'approve' });
    expect([again.isError, textOf(again)]).toEqual([true, expect.stringContaining('approve')]);
  });

  test('a wait of no seconds gives a run that is read later', async () => {
    const client = await overHttp('admin-token-0123456789', revision);
    const begun = await called(client, 'clerk', { input: 'Later?', wait: 0 });
    const { id } = begun.structuredContent as { id: string };
    expect(textOf(await called(client, 'get_run', { id }))).toBe('forty-two');
  });

  test('a tenant does not see the runs of others, and scopes count', async () => {
    const root = await overHttp('admin-token-0123456789', revision);
    const { structuredContent } = await called(root, 'clerk', { input: 'Whose?' });
    const { id } = structuredContent as { id: string };
    const ann = await overHttp('acme-token-01234567890', revision);
    expect(await called(ann, 'get_run', { id })).toMatchObject({ isError: true });
    expect(textOf(await called(ann, 'decide_on_run', { id, decision: 'approve' }))).toContain('scope decide');
    await expect(overHttp('read-token-01234567890', revision)).rejects.toThrow(
      /rita does not have the scope run|denied access \(HTTP 403\)/u,
    );
  });
});

describe('a client that asks its person', () => {
  const approve = { action: 'accept' as const, content: { decision: 'reject', text: 'too dear' } };
  const question = 'guarded (1.1) needs your approval: "x"';

  test('by revision 2025-11-25 is asked in the course of the call', async () => {
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    const caller = { name: 'ann', scopes: ['admin'] as const };
    const options = { client: rig.client.as('ann'), caller, agents: served };
    const handle = serveStdio(await agentServers(options), { transport: ours });
    const client = new Client(
      { name: 'test', version: '1' },
      { capabilities: { elicitation: { form: {} } } },
    );
    const asked: string[] = [];
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message);
      return approve;
    });
    await client.connect(theirs);
    onTestFinished(() => client.close());
    onTestFinished(() => handle.close());
    const ended = await called(client, 'careful_one', { input: 'Do x.' });
    expect(asked).toEqual([question]);
    await expectRejected(ended);
  });

  test('by revision 2026-07-28 gets the question as the result, and repeats the call with the answer, at any instance', async () => {
    const client = await overHttp('admin-token-0123456789', '2026-07-28', {
      capabilities: { elicitation: { form: {} } },
    });
    const asked: string[] = [];
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message);
      return approve;
    });
    const ended = await called(client, 'careful_one', { input: 'Do y.' });
    expect(asked).toEqual([question]);
    await expectRejected(ended);
  });

  async function expectRejected(ended: object): Promise<void> {
    expect(textOf(ended)).toBe('done');
    const { id } = fieldOf(ended, 'structuredContent') as { id: string }; // our tools give it
    const { intermediateSteps } = await rig.client.get(id).describe();
    expect(intermediateSteps).toMatchObject([{ observation: expect.stringContaining('too dear') }]);
  }
});
