import { beforeAll, describe, expect, test } from 'vitest';
import type { AgentDefinition } from '../../config/define.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import type { TokenCaller } from '../../gateway/http/caller.ts';
import { type GatewayServer, post as postTo, startGateway } from '../support/gateway-server.ts';
import { useRig } from '../support/rig.ts';
import { modelOf, toolCall } from '../support/scripts.ts';

/** Requests that have answers of two kinds at once: a person's approvals, and results of the client's tools. */

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
const calls = [toolCall('pay', '{"input":"x"}'), toolCall('pick', '{}')];
const model = modelOf((step) => (step === '1' ? { toolCalls: calls } : 'Done.'));
const broken = defineTool({
  name: 'broken',
  description: 'fails',
  onFailure: 'ask',
  retry: { maxAttempts: 1 },
  run: () => Promise.reject(new Error('no paper')),
});
const plain = { kind: 'tool-calling', clientTools: true } as const;
const agents = [
  { ...plain, name: 'till', model, tools: [pay] },
  { ...plain, name: 'other', model: modelOf(() => 'I am the other.'), tools: [] },
  {
    ...plain,
    name: 'printer',
    model: modelOf((step) =>
      step === '1' ? { toolCalls: [toolCall('broken', '{}'), toolCall('pay', '{"input":"x"}')] } : 'Done.',
    ),
    tools: [broken, pay],
  },
] satisfies AgentDefinition[];
const rig = useRig({ agents });
const common = {
  scopes: ['run', 'read', 'decide'],
  may: ['client-tools', 'own-approvals'],
} satisfies Partial<TokenCaller>;
const callers = {
  owner: { ...common, name: 'two-kinds-owner', token: 'two-kinds-owner-0123' },
  limited: { ...common, name: 'two-kinds-limited', token: 'two-kinds-limited-01', scopes: ['run', 'read'] },
  asker: { ...common, name: 'two-kinds-asker', token: 'two-kinds-asker-0123', may: ['client-tools'] },
} satisfies { [name: string]: TokenCaller };
type Who = keyof typeof callers;

let gateway: GatewayServer;
beforeAll(async () => {
  gateway = await startGateway(rig.client, { tokens: Object.values(callers), agents });
  return () => gateway.stop();
});

async function post(path: string, body: object, who: Who): Promise<{ status: number; text: string }> {
  const response = await postTo(gateway, callers[who].token, { path, body });
  return { status: response.status, text: await response.text() };
}

/** A run of the caller that waits for both. */
async function waitingRun(who: Who, input: string): Promise<string> {
  const body = { agent: 'till', input, clientTools: [{ name: 'pick' }] };
  const { id } = JSON.parse((await post('/runs', body, who)).text) as { id: string };
  await expect.poll(() => stateOf(id)).toEqual(['waiting', ['1.1', '1.2']]);
  return id;
}
async function stateOf(id: string) {
  const { status, waiting } = await rig.client.get(id).describe();
  return [status, waiting.map(({ call }) => call)];
}

/** Runs of the approval and of the result, and whether the person approves. */
interface Answers {
  ofApproval: string;
  ofResult: string;
  approved?: boolean;
}
const ids = ({ ofApproval, ofResult }: Answers) => [`${ofApproval}:1.1:0`, `${ofResult}:1.2:0`] as const;
const response = (input: string, answers: Answers, isApprovalFirst: boolean, model = 'till') => {
  const [approval, call_id] = ids(answers);
  const both = [
    {
      type: 'mcp_approval_response',
      approval_request_id: `mcpr_${approval}`,
      approve: answers.approved ?? true,
    },
    { type: 'function_call_output', call_id, output: 'red' },
  ];
  const sent = isApprovalFirst ? both : both.toReversed();
  return { path: '/v1/responses', body: { model, input: [{ role: 'user', content: input }, ...sent] } };
};
const ways: { [way: string]: (input: string, answers: Answers) => { path: string; body: object } } = {
  '/v1, the approval first': (input, answers) => response(input, answers, true),
  '/v1, the result first': (input, answers) => response(input, answers, false),
  '/ui'(_input, answers) {
    const [id, toolCallId] = ids(answers);
    const approval = { id, approved: answers.approved ?? true };
    const parts = [
      { type: 'dynamic-tool', state: 'approval-responded', approval },
      { type: 'tool-pick', toolCallId, state: 'output-available', output: 'red' },
    ];
    return { path: '/ui/till/chat', body: { id: 'c', messages: [{ id: 'm', role: 'assistant', parts }] } };
  },
  '/ag-ui'(_input, answers) {
    const [interruptId, toolCallId] = ids(answers);
    const payload = { approved: answers.approved ?? true };
    const messages = [{ id: 'r', role: 'tool', toolCallId, content: 'red' }];
    const resume = [{ interruptId, status: 'resolved', payload }];
    return { path: '/ag-ui/till', body: { threadId: 't', runId: 'r', messages, resume } };
  },
};

describe.each(Object.keys(ways))('approvals and results in one request to %s', (way) => {
  const send = (who: Who, input: string, answers: Answers) => {
    const { path, body } = ways[way]?.(input, answers) ?? { path: '', body: {} };
    return post(path, body, who);
  };

  test('are given to the run, once also where the request is sent again', async () => {
    const input = `both ${way}`;
    const run = await waitingRun('owner', input);
    const [answers, before] = [{ ofApproval: run, ofResult: run }, payments];
    for (const _ of [1, 2]) {
      const { status, text } = await send('owner', input, answers);
      expect([status, text]).toEqual([200, expect.stringContaining('Done.')]);
    }
    expect(await stateOf(run)).toEqual(['completed', []]);
    expect(payments).toBe(before + 1);
  });

  test.each([
    ['who may not decide', 'limited'],
    ['who asked', 'asker'],
  ] as const)('are refused together: %s', async (_, who) => {
    const run = await waitingRun(who, `refused ${way}`);
    const { status } = await send(who, `refused ${way}`, { ofApproval: run, ofResult: run });
    expect([status, await stateOf(run)]).toEqual([403, ['waiting', ['1.1', '1.2']]]);
    await rig.client.get(run).cancel();
  });
});

test.each(['/ui', '/ag-ui'])('answers to two runs in one request to %s change neither', async (way) => {
  const [ofApproval, ofResult] = [await waitingRun('owner', 'one'), await waitingRun('owner', 'two')];
  const { path, body } = ways[way]?.('one', { ofApproval, ofResult }) ?? { path: '', body: {} };
  const { status, text } = await post(path, body, 'owner');
  expect([status, text]).toEqual([400, expect.stringContaining('several runs')]);
  for (const run of [ofApproval, ofResult]) {
    expect(await stateOf(run)).toEqual(['waiting', ['1.1', '1.2']]);
    await rig.client.get(run).cancel();
  }
});

test('with another model an approval is refused, and a rejection ends with the run that is left', async () => {
  const [input, before] = ['for another', payments];
  const run = await waitingRun('owner', input);
  const sent = (approved: boolean) =>
    post(
      '/v1/responses',
      response(input, { ofApproval: run, ofResult: run, approved }, true, 'other').body,
      'owner',
    );
  const refused = await sent(true);
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('run of another agent')]);
  expect(await stateOf(run)).toEqual(['waiting', ['1.1', '1.2']]);
  expect((await sent(false)).text).toContain('I am the other.');
  await expect.poll(() => stateOf(run)).toEqual(['cancelled', []]);
  expect(payments).toBe(before);
});

test.each(['/a2a', '/ag-ui'])(
  'of several decisions in one request to %s none is made, if one is for another person',
  async (way) => {
    const { id } = JSON.parse((await post('/runs', { agent: 'printer', input: 'print' }, 'asker')).text) as {
      id: string;
    };
    await expect.poll(async () => (await stateOf(id))[1]?.length).toBe(2);
    const decisions = [
      { type: 'skip', call: '1.1' },
      { type: 'approve', call: '1.2' },
    ];
    const parts = decisions.map((data) => ({ data }));
    const message = { messageId: 'both', role: 'ROLE_USER', taskId: id, parts };
    const resume = [
      { interruptId: `${id}:1.1:0`, status: 'resolved', payload: { type: 'skip' } },
      { interruptId: `${id}:1.2:0`, status: 'resolved', payload: { approved: true } },
    ];
    const { text } =
      way === '/a2a'
        ? await post(
            '/a2a/printer',
            { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } },
            'asker',
          )
        : await post('/ag-ui/printer', { threadId: 't', runId: 'r', messages: [], resume }, 'asker');
    expect(text).toContain('another person approves');
    expect((await stateOf(id))[1]?.length).toBe(2);
    await rig.client.get(id).cancel();
  },
);
