import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import type { AgentDefinition } from '../../config/define.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { createGate } from '../support/gate.ts';
import { type GatewayServer, post, startGateway } from '../support/gateway-server.ts';
import { message, rpc, tool } from '../support/rights-rig.ts';
import { useRig } from '../support/rig.ts';
import { gatedTool } from '../support/sample-tools.ts';
import { modelOf, promptOf, toolCall } from '../support/scripts.ts';

/** Replies of the gateway about runs with background calls: a reply ends when the run as a whole waits, not with the first wait. */

const gate = createGate();
const deploy = defineTool({
  name: 'deploy',
  description: 'deploys',
  background: true,
  approval: 'always',
  run: () => 'deployed',
});
const count = defineTool({
  name: 'count',
  description: 'counts for a while',
  async run() {
    await sleep(700);
    return 'counted';
  },
});
const releases = modelOf((step, request) => {
  if (step === '1') return { toolCalls: [toolCall('deploy'), toolCall('count')] };
  if (step === '2') return { text: 'So far.', toolCalls: [toolCall('count', 'y')] };
  return promptOf(request).includes('deployed') ? 'Released.' : 'Soon.';
});
const dresses = modelOf((step) =>
  step === '1' ? { toolCalls: [toolCall('slow'), toolCall('count'), toolCall('pick', '{}')] } : 'Dressed.',
);
const slow = gatedTool(gate, 'slow', { background: true });
const common = { kind: 'tool-calling', clientTools: true } as const;
const agents = [
  { ...common, name: 'releaser', model: releases, tools: [deploy, count] },
  { ...common, name: 'short', model: releases, tools: [deploy, count], maxIterations: 1 },
  { ...common, name: 'dresser', model: dresses, tools: [slow, count] },
] satisfies AgentDefinition[];
const rig = useRig({ agents });
const TOKEN = 'background-replies-0123';

let gateway: GatewayServer;
beforeAll(async () => {
  gateway = await startGateway(rig.client, {
    tokens: [
      {
        token: TOKEN,
        name: 'background-replies',
        scopes: ['run', 'read', 'decide'],
        may: ['client-tools', 'own-approvals'],
      },
    ],
    agents,
  });
  return () => gateway.stop();
});

async function send(path: string, body: object): Promise<string> {
  const headers = { accept: 'application/json, text/event-stream' };
  return (await post(gateway, TOKEN, { path, body, headers })).text();
}

const pick = { name: 'pick', parameters: { type: 'object', properties: {} } };
const asks = [{ role: 'user', content: 'Go.' }];
const page = (parts: readonly object[]) => ({
  id: 'c',
  messages: [{ id: 'm', role: parts.length > 0 ? 'assistant' : 'user', parts }],
});
/** How each protocol asks. `brings`: with a tool of the client. */
const questions: { [way: string]: (agent: string, brings: boolean) => Promise<string> } = {
  '/v1/chat/completions': (model, brings) => {
    const tools = brings ? [{ type: 'function', function: pick }] : undefined;
    return send('/v1/chat/completions', { model, messages: asks, stream: true, tools });
  },
  '/v1/responses': (model, brings) => {
    const tools = brings ? [{ type: 'function', ...pick }] : undefined;
    return send('/v1/responses', { model, input: asks, tools });
  },
  '/ui': (agent, brings) =>
    send(`/ui/${agent}/chat`, {
      id: crypto.randomUUID(),
      messages: [{ id: 'q', role: 'user', parts: [{ type: 'text', text: 'Go.' }] }],
      ...(brings && { clientTools: [{ name: pick.name }] }),
    }),
  '/ag-ui': (agent, brings) => {
    const names = { threadId: crypto.randomUUID(), runId: 'r' };
    const tools = brings ? [{ ...pick, description: 'picks' }] : [];
    return send(`/ag-ui/${agent}`, { ...names, tools, messages: [{ id: 'q', ...asks[0] }] });
  },
  '/a2a': (agent) =>
    send(
      `/a2a/${agent}`,
      rpc('SendStreamingMessage', { message: message({ contextId: crypto.randomUUID() }) }),
    ),
};
const ways = Object.keys(questions);

const ask = async (way: string, agent: string, brings = false) =>
  asked(agent, (await questions[way]?.(agent, brings)) ?? '');

/** The run of a reply, as it is when the reply has ended. */
async function asked(agent: string, text: string) {
  const id = new RegExp(`(?:${agent}-|[0-9a-f-]{36}\\.)[0-9a-f]+`, 'u').exec(text)?.[0] ?? text;
  return { text, id, report: await rig.client.get(id).describe() };
}

describe.each(ways)('a reply of %s', (way) => {
  test('does not end at the approval of a background call while the model continues', async () => {
    const { text, report } = await ask(way, 'releaser');
    const { status, iterations } = report;
    expect({ status, iterations }).toEqual({ status: 'waiting', iterations: 3 });
    expect(text).toContain('Soon.');
  });

  test('ends where a run at its limit waits for the approval of a background call', async () => {
    expect((await ask(way, 'short')).report).toMatchObject({ status: 'waiting', iterations: 1 });
  });
});

test('a tool of the MCP server has no result at the approval of a background call while the model continues', async () => {
  const { report } = await asked('releaser', await send('/mcp', tool('releaser', { input: 'Go.' })));
  expect(report).toMatchObject({ status: 'waiting', iterations: 3 });
});

describe.each([
  ['/ui', 1],
  ['/ag-ui', 2], // in a snapshot, for a client without messages
])('an approval in %s', (way, pieces) => {
  test('continues the message, and nothing comes twice', async () => {
    const { id } = await ask(way, 'releaser');
    const approval = `${id}:1.1:0`;
    const parts = [
      { type: 'dynamic-tool', state: 'approval-responded', approval: { id: approval, approved: true } },
    ];
    const resume = [{ interruptId: approval, status: 'resolved', payload: { approved: true } }];
    const bodies: { [way: string]: object } = {
      '/ui': page(parts),
      '/ag-ui': { threadId: 't', runId: 'r', messages: [], resume },
    };
    const text = await send(way === '/ui' ? '/ui/releaser/chat' : '/ag-ui/releaser', bodies[way] ?? {});
    expect(text).toContain('deployed');
    expect(text).toContain('Released.');
    expect(text.split('Soon.')).toHaveLength(pieces);
  });
});

test.each(ways.filter((way) => way !== '/a2a'))(
  'a client tool in %s is asked for beside a background call that runs',
  async (way) => {
    const { text, id, report } = await ask(way, 'dresser', true);
    expect(text).toContain(`${id}:1.3:0`);
    const { status, waiting } = report;
    expect([status, waiting.map(({ call }) => call)]).toEqual(['waiting', ['1.3']]);
    await gate.open();
    await rig.client.get(id).cancel();
  },
);
