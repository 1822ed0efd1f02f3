import { beforeAll, describe, expect, test } from 'vitest';
import { defineTool } from '../../adapters/tools/tool.ts';
import type { AgentDefinition } from '../../config/define.ts';
import type { TokenCaller } from '../../gateway/http/caller.ts';
import { type GatewayServer, type Sent, post as postTo, startGateway } from '../support/gateway-server.ts';
import { mcpRequest } from '../support/mcp-requests.ts';
import { useRig } from '../support/rig.ts';
import { modelOf, toolCall } from '../support/scripts.ts';

/** Decisions that are sent again, that come too late, or that name what the caller may not touch, over each protocol. */

let payments = 0;
const pay = defineTool({
  name: 'pay',
  description: 'asks before it pays',
  approval: 'always',
  run() {
    payments += 1;
    return 'paid';
  },
});
const calls = [toolCall('pay', '{"input":"x"}'), toolCall('pay', '{"input":"y"}')];
const model = modelOf((step) => (step === '1' ? { toolCalls: calls } : 'Done.'));
const plain = { kind: 'tool-calling', model, tools: [pay] } as const;
const agents = [
  { ...plain, name: 'cashier' },
  { ...plain, name: 'elsewhere' },
] satisfies AgentDefinition[];
const rig = useRig({ agents });
const common = {
  scopes: ['chat', 'run', 'read', 'decide'],
  may: ['own-approvals', 'all-runs'],
} satisfies Partial<TokenCaller>;
const callers = {
  ann: { ...common, name: 'again-ann', token: 'again-ann-0123456789' },
  bob: { ...common, name: 'again-bob', token: 'again-bob-0123456789' },
  asker: { ...common, name: 'again-asker', token: 'again-asker-01234567', scopes: ['chat', 'run', 'read'] },
} satisfies { [name: string]: TokenCaller };
type Who = keyof typeof callers;

let gateway: GatewayServer;
beforeAll(async () => {
  gateway = await startGateway(rig.client, { tokens: Object.values(callers), agents });
  return () => gateway.stop();
});

async function post(who: Who, sent: Sent): Promise<{ status: number; text: string }> {
  const response = await postTo(gateway, callers[who].token, sent);
  return { status: response.status, text: await response.text() };
}

/** `id`: what names the wait `0` of the call. */
type Way = (given: { run: string; call: string; id: string; approve: boolean; agent?: string }) => Sent;
const ways: { readonly [way: string]: Way } = {
  '/v1': ({ id, approve }) => ({
    path: '/v1/responses',
    body: { input: [{ type: 'mcp_approval_response', approval_request_id: `mcpr_${id}`, approve }] },
  }),
  '/ui': ({ id, approve, agent = 'cashier' }) => ({
    path: `/ui/${agent}/chat`,
    body: {
      id: 'c',
      messages: [
        {
          id: 'm',
          role: 'assistant',
          parts: [{ type: 'tool-pay', state: 'approval-responded', approval: { id, approved: approve } }],
        },
      ],
    },
  }),
  '/ag-ui': ({ id, approve, agent = 'cashier' }) => ({
    path: `/ag-ui/${agent}`,
    body: {
      threadId: 't',
      runId: 'r',
      messages: [],
      resume: [{ interruptId: id, status: 'resolved', payload: { approved: approve } }],
    },
  }),
  '/a2a': ({ run, call, approve, agent = 'cashier' }) => ({
    path: `/a2a/${agent}`,
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: {
        message: {
          messageId: 'again',
          role: 'ROLE_USER',
          taskId: run,
          parts: [{ data: { type: approve ? 'approve' : 'reject', call, wait: 0 } }],
        },
        configuration: { returnImmediately: true },
      },
    },
  }),
  '/mcp': ({ run, call, approve }) => ({
    path: '/mcp',
    ...mcpRequest('tasks/update', {
      taskId: run,
      inputResponses: {
        [`${call}:0`]: { action: 'accept', content: { decision: approve ? 'approve' : 'reject' } },
      },
    }),
  }),
};
const decision = (run: string, call: string, approve: boolean) => ({
  run,
  call,
  id: `${run}:${call}:0`,
  approve,
});

async function waitingRun(): Promise<string> {
  const { text } = await post('asker', { path: '/runs', body: { agent: 'cashier', input: 'Pay.' } });
  const { id } = JSON.parse(text) as { id: string };
  await expect.poll(() => waitsOf(id)).toEqual(['1.1', '1.2']);
  return id;
}

async function waitsOf(id: string): Promise<string[]> {
  return (await rig.client.get(id).describe()).waiting.map(({ call }) => call);
}

/** The text of an answer that stays open has to be read no further than its beginning. */
describe.each(Object.entries(ways))('over %s', (_name, way) => {
  test('a decision that was made is accepted again, and another one is refused, while the run goes on and after it', async () => {
    const run = await waitingRun();
    const before = payments;
    const client = rig.client.as('again-bob').get(run);
    await client.decide('1.1', { type: 'approve' }, 0);
    await expect.poll(() => waitsOf(run)).toEqual(['1.2']);
    const refused = async () => {
      const { text } = await post('ann', way(decision(run, '1.1', false)));
      expect(text).toContain('pay (1.1) was decided before by again-bob: approve.');
    };
    await refused();
    await client.decide('1.2', { type: 'approve' }, 0);
    await expect.poll(async () => (await client.describe()).status).toBe('completed');
    await refused();
    const { status, text } = await post('ann', way(decision(run, '1.1', true)));
    expect([status, text]).toEqual([200, expect.not.stringMatching(/was decided before|"error":\{/u)]);
    expect(payments).toBe(before + 2);
  });

  test('a wait that the run never had is refused', async () => {
    const run = await waitingRun();
    const { text } = await post('ann', way(decision(run, '7.1', true)));
    expect(text).toContain(`Call 7.1 of run ${run} has had no wait 0.`);
    expect(await waitsOf(run)).toEqual(['1.1', '1.2']);
    await rig.client.get(run).cancel();
  });

  test('who may not decide is told so, whatever was sent', async () => {
    const run = await waitingRun();
    const right = way(decision(run, '1.1', true));
    const wrongId = JSON.stringify(right).replaceAll(`${run}:1.1:0`, 'no id').replaceAll('1.1:0', 'no key');
    const wrongType = JSON.stringify(right).replaceAll(/"(approved?)":true/gu, '"$1":"maybe"');
    for (const sent of [right, JSON.parse(wrongId) as Sent, JSON.parse(wrongType) as Sent])
      expect((await post('asker', sent)).text).toContain('does not have the scope decide');
    expect(await waitsOf(run)).toEqual(['1.1', '1.2']);
    await rig.client.get(run).cancel();
  });
});

describe.each(Object.entries(ways))('over %s', (_name, way) => {
  test('of two people who decide at once one wins, and the other one reads what was decided', async () => {
    const run = await waitingRun();
    const before = payments;
    const [yes, no] = await Promise.all([
      post('ann', way(decision(run, '1.1', true))),
      post('bob', way(decision(run, '1.1', false))),
    ]);
    const isLate = ({ text }: { text: string }) => /was decided before by again-(?:ann|bob)/u.test(text);
    expect(isLate(yes)).toBe(!isLate(no));
    await expect.poll(() => waitsOf(run)).toEqual(['1.2']);
    await expect.poll(() => payments).toBe(before + (isLate(yes) ? 0 : 1));
    await rig.client.get(run).cancel();
  });
});

describe.each(['/ui', '/ag-ui', '/a2a'])('under the path of another agent over %s', (name) => {
  test('the run is not there', async () => {
    const run = await waitingRun();
    const sent = ways[name]?.({ ...decision(run, '1.1', true), agent: 'elsewhere' });
    const { text } = await post('ann', sent ?? { path: '', body: {} });
    expect(text).toMatch(/RunNotFound|TASK_NOT_FOUND|-32001/u);
    expect(await waitsOf(run)).toEqual(['1.1', '1.2']);
    await rig.client.get(run).cancel();
  });
});

test('a chat of another agent has nothing to resume under the path of this one', async () => {
  const id = 'again-chat';
  const messages = [{ id: 'q', role: 'user', parts: [{ type: 'text', text: 'Pay.' }] }];
  const asked = new AbortController();
  const headers = { authorization: `Bearer ${callers.ann.token}`, 'content-type': 'application/json' };
  await fetch(`${gateway.url}/ui/cashier/chat`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ id, messages }),
    signal: asked.signal,
  });
  asked.abort();
  const resumed = async (agent: string) => {
    const response = await fetch(`${gateway.url}/ui/${agent}/chat/${id}/stream`, { headers });
    await response.body?.cancel();
    return response.status;
  };
  await expect.poll(() => resumed('cashier')).toBe(200);
  await expect.poll(() => resumed('elsewhere')).toBe(204);
});

test('answers to the forms of MCP are decisions, and so need the scope, also in the call of another tool', async () => {
  const call = (name: string, given: object, inputResponses?: object) => ({
    path: '/mcp',
    ...mcpRequest(
      'tools/call',
      {
        name,
        arguments: { ...given, wait: 0 },
        _meta: { 'reloop/idempotency-key': 'again' },
        ...(inputResponses && { inputResponses }),
      },
      { elicitation: { form: {} } },
    ),
  });
  const abort = { '1.1:0': { action: 'accept', content: { decision: 'abort' } } };
  const asked = { input: 'Pay.' };
  const { text } = await post('asker', call('cashier', asked));
  const run = /Run (\S+) /u.exec(text)?.[1] ?? '';
  await expect.poll(() => waitsOf(run)).toEqual(['1.1', '1.2']);
  for (const sent of [call('get_run', { id: run }, abort), call('cashier', asked, abort)]) {
    expect((await post('asker', sent)).text).toContain('does not have the scope decide');
    expect(await waitsOf(run)).toEqual(['1.1', '1.2']);
  }
  await rig.client.get(run).cancel();
});
