import { HttpAgent, type Message } from '@ag-ui/client';
import { Chat } from '@ai-sdk/react';
import { createAdaptorServer } from '@hono/node-server';
import { DefaultChatTransport, type UIMessage, lastAssistantMessageIsCompleteWithToolCalls } from 'ai';
import OpenAI from 'openai';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { beforeAll, describe, expect, test } from 'vitest';
import type { AgentDefinition } from '../../config/define.ts';
import { createGateway } from '../../gateway/gateway.ts';
import type { TokenCaller } from '../../gateway/http/caller.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { aguiFetch } from '../support/agui-fetch.ts';
import { useRig } from '../support/rig.ts';
import { modelOf, promptOf } from '../support/scripts.ts';

const schema = { type: 'object', properties: { shade: { type: 'string' } }, required: ['shade'] } as const;
const tools = [
  { name: 'pick', description: 'The user picks.', parameters: schema },
  { name: 'wear', description: 'The user wears.', parameters: schema },
];
const call = (name: string, input: object = { shade: 'dark' }) => ({
  id: name,
  name,
  arguments: JSON.stringify(input),
});
const size = defineTool({ name: 'size', description: 'a size', effects: 'none', run: () => 'large' });
/** Calls two tools of the client and one of its own, then one more of the client, and repeats the results. */
const model = modelOf((step, request) => {
  if (step === '1') return { text: 'Let us see.', toolCalls: [call('pick'), call('size', {}), call('wear')] };
  if (step === '2') return { toolCalls: [call('pick', { shade: 'light' })] };
  return `Answer: ${promptOf(request)}`;
});
const plain = { kind: 'tool-calling' } as const;
const agents = [
  { ...plain, name: 'shop', model, tools: [size], clientTools: true },
  { ...plain, name: 'closed', model: modelOf(() => 'closed'), tools: [size] },
] satisfies AgentDefinition[];
const rig = useRig({ agents });
const callers = {
  buyer: { token: 'buyer-token-0123456789', name: 'buyer', scopes: ['run', 'read'], may: ['client-tools'] },
  plain: { token: 'plain-token-0123456789', name: 'plain', scopes: ['run', 'read'] },
  seer: {
    token: 'seer-token-0123456789',
    name: 'seer',
    scopes: ['run', 'read'],
    may: ['client-tools', 'all-runs'],
  },
} satisfies { [name: string]: TokenCaller };
type Who = keyof typeof callers;

let url = '';
beforeAll(async () => {
  // Each request goes to a gateway of its own, as behind a balancer.
  const server = createAdaptorServer({
    fetch: (request) => createGateway(rig.client, { tokens: Object.values(callers), agents }).fetch(request),
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  return () => void server.close();
});

const runOf = (id: string) => /^(.+):[\d.]+:\d+$/u.exec(id)?.[1] ?? '';
const observed = async (run: string) =>
  (await rig.client.get(run).describe()).intermediateSteps.map((step) => [step.call, step.observation]);
const headersOf = (who: Who) => ({ authorization: `Bearer ${callers[who].token}` });
const post = (path: string, body: object, who: Who = 'buyer') =>
  fetch(url + path, {
    method: 'POST',
    headers: { ...headersOf(who), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const RESULTS = [
  ['1.1', 'red'],
  ['1.2', 'large'],
  ['1.3', 'The tool wear failed: too small'],
  ['2.1', 'red'],
];

describe('tools of a client', () => {
  test('are carried out by a page of the AI SDK', async () => {
    const asked: string[] = [];
    const chat: Chat<UIMessage> = new Chat<UIMessage>({
      transport: new DefaultChatTransport({
        api: `${url}/ui/shop/chat`,
        headers: headersOf('buyer'),
        body: { clientTools: tools.map(({ parameters, ...tool }) => ({ ...tool, inputSchema: parameters })) },
      }),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
      onToolCall({ toolCall: { toolName: tool, toolCallId, dynamic, input } }) {
        if (dynamic === true) return;
        asked.push(`${tool} ${JSON.stringify(input)}`);
        if (tool === 'pick') void chat.addToolOutput({ tool, toolCallId, output: 'red' });
        else void chat.addToolOutput({ tool, toolCallId, state: 'output-error', errorText: 'too small' });
      },
    });
    await chat.sendMessage({ text: 'Dress me.' });
    await expect
      .poll(() => chat.lastMessage?.parts.at(-1), { timeout: 15_000 })
      .toMatchObject({
        type: 'text',
        state: 'done',
        text: expect.stringContaining('Answer'),
      });
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(asked).toEqual(['pick {"shade":"dark"}', 'wear {"shade":"dark"}', 'pick {"shade":"light"}']);
    expect(
      chat.lastMessage?.parts.map((part) => ('state' in part ? `${part.type} ${part.state}` : part.type)),
    ).toEqual([
      'step-start',
      'text done',
      'dynamic-tool output-available',
      'tool-pick output-available',
      'tool-wear output-error',
      'step-start',
      'tool-pick output-available',
      'step-start',
      'text done',
    ]);
    expect(await observed(chat.lastMessage?.id ?? '')).toEqual(RESULTS);
    const other = new Chat<UIMessage>({
      id: chat.id,
      transport: new DefaultChatTransport({ api: `${url}/ui/shop/chat`, headers: headersOf('buyer') }),
    });
    await other.resumeStream();
    expect(other.lastMessage?.parts.at(-1)).toMatchObject({ text: expect.stringContaining('Answer') });
  });

  test.each([
    ['all results', 5],
    ['one result', 1],
  ])('are carried out by a client of AG-UI, which gives context too, and %s at a time', async (_, most) => {
    const carriedOut: string[] = [];
    const agent = new HttpAgent({ url: `${url}/ag-ui/shop`, headers: headersOf('buyer'), fetch: aguiFetch });
    agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: 'Dress me.' });
    const context = [{ description: 'The cart', value: 'three hats' }];
    for (let round = 0; round < 6; round++) {
      await agent.runAgent({ tools: round === 0 ? tools : [], context });
      const asked = pending(agent.messages).slice(0, most);
      carriedOut.push(...asked.map(({ name }) => name));
      const results = asked.map(({ id, name }): Message => {
        const common = { id: `r-${id}`, role: 'tool' as const, toolCallId: id };
        return name === 'pick'
          ? { ...common, content: 'red' }
          : { ...common, content: '', error: 'too small' };
      });
      if (results.length === 0) break;
      agent.addMessages(results);
    }
    expect(carriedOut).toEqual(['pick', 'wear', 'pick']);
    const last = agent.messages.at(-1);
    expect(last).toMatchObject({ role: 'assistant', content: expect.stringContaining('Answer') });
    expect(last?.content).toContain('Context that the client shows:\\n- The cart: three hats');
    expect(await observed(last?.id.split(':')[0] ?? '')).toEqual(RESULTS);
    const ids = agent.messages.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : []));
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.each([true, false])(
    'are carried out by a client of chat completions, streamed: %s',
    async (stream) => {
      const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: callers.buyer.token, maxRetries: 0 });
      const messages: ChatCompletionMessageParam[] = [{ role: 'user', content: 'Dress me.' }];
      const functions = tools.map((tool) => ({ type: 'function' as const, function: tool }));
      const reasons: string[] = [];
      let run = '';
      for (let round = 0; round < 5; round++) {
        const body = { model: 'shop', messages, tools: functions };
        const completion = stream
          ? await client.chat.completions.stream(body).finalChatCompletion()
          : await client.chat.completions.create(body);
        const { message, finish_reason } = completion.choices[0] ?? never();
        reasons.push(finish_reason);
        messages.push(message);
        if (message.tool_calls === undefined) break;
        for (const { id, ...one } of message.tool_calls) {
          run = runOf(id);
          const name = 'function' in one ? one.function.name : '';
          messages.push({
            role: 'tool',
            tool_call_id: id,
            content: name === 'pick' ? 'red' : 'The tool wear failed: too small',
          });
        }
      }
      expect(reasons).toEqual(['tool_calls', 'tool_calls', 'stop']);
      expect(messages[1]).toMatchObject({ content: 'Let us see.' });
      expect(messages.at(-1)?.content).toMatch(/^Answer/u);
      expect(await observed(run)).toEqual(RESULTS);
    },
  );

  test.each([true, false])(
    'are carried out by a client of responses, with all items sent: %s',
    async (all) => {
      const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: callers.buyer.token, maxRetries: 0 });
      const functions = tools.map((tool) => ({ type: 'function' as const, strict: false, ...tool }));
      const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: 'Dress me.' }];
      let response = await client.responses.create({ model: 'shop', input, tools: functions });
      for (let round = 0; round < 5; round++) {
        input.push(...response.output.map((item) => item as OpenAI.Responses.ResponseInputItem));
        const calls = response.output.filter((item) => item.type === 'function_call');
        if (calls.length === 0) break;
        expect(response.status).toBe('completed');
        const results = calls.map(({ call_id, name }) => ({
          type: 'function_call_output' as const,
          call_id,
          output: name === 'pick' ? 'red' : 'The tool wear failed: too small',
        }));
        input.push(...results);
        const more = all ? { input } : { input: results, previous_response_id: response.id };
        const stream = client.responses.stream({ model: 'shop', tools: functions, ...more });
        response = await stream.finalResponse();
      }
      expect(response.output_text).toMatch(/^Answer/u);
      expect(await observed(response.id.replace('resp_', ''))).toEqual(RESULTS);
    },
  );

  test('need a permission, and an agent that takes them', async () => {
    const chat = (model: string) => ({
      model,
      messages: [{ role: 'user', content: 'Hi' }],
      tools: tools.map((tool) => ({ type: 'function', function: tool })),
    });
    const refused = await post('/v1/chat/completions', chat('shop'), 'plain');
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('client-tools')]);
    expect((await post('/v1/chat/completions', chat('closed'))).status).toBe(200); // set aside
    const agui = (given: object[], agent: string) =>
      post(`/ag-ui/${agent}`, {
        threadId: crypto.randomUUID(),
        runId: 'r',
        messages: [{ id: crypto.randomUUID(), role: 'user', content: 'Hi' }],
        tools: given,
      });
    expect(await (await agui(tools, 'closed')).text()).toContain('leave out the tools of the client');
    expect(await (await agui([{ name: 'size' }], 'shop')).text()).toContain('has tools with the names size');
    expect(await (await agui([{ name: 'a b' }], 'shop')).text()).toContain(
      'have to be a list of at most 100',
    );
  });

  test('get their results from the caller of the run alone, one after the other, and once', async () => {
    const functions = tools.map((tool) => ({ type: 'function', function: tool }));
    const ask = async (messages: object[], who: Who = 'buyer') => {
      const response = await post('/v1/chat/completions', { model: 'shop', messages, tools: functions }, who);
      return { status: response.status, body: (await response.json()) as OpenAI.ChatCompletion };
    };
    const first = await ask([{ role: 'user', content: 'Dress me.' }]);
    const ids = (completion: OpenAI.ChatCompletion) =>
      completion.choices[0]?.message.tool_calls?.map(({ id }) => id) ?? [];
    const [pick = '', wear = ''] = ids(first.body);
    const result = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content });
    expect((await ask([result(pick, 'blue')], 'plain')).status).toBe(403); // no permission for tools
    const seer = await ask([result(pick, 'blue')], 'seer');
    expect([seer.status, JSON.stringify(seer.body)]).toEqual([
      403,
      expect.stringContaining('another client'),
    ]);
    const half = await ask([result(pick, 'red')]);
    expect(ids(half.body)).toEqual([wear]);
    const second = await ask([result(pick, 'blue'), result(wear, 'x'.repeat(200_000))]);
    const steps = await observed(runOf(pick));
    expect(steps[0]).toEqual(['1.1', 'red']);
    expect(steps[2]?.[1]).toMatch(/^x+.*cut/su);
    const [last = ''] = ids(second.body);
    expect(last).toBe(`${runOf(pick)}:2.1:0`);
  });
});

function pending(messages: readonly Message[]): { id: string; name: string }[] {
  const done = new Set(messages.flatMap((one) => (one.role === 'tool' ? [one.toolCallId] : [])));
  return messages.flatMap((one) =>
    one.role === 'assistant'
      ? (one.toolCalls ?? []).flatMap(({ id, function: { name } }) => (done.has(id) ? [] : [{ id, name }]))
      : [],
  );
}

function never(): never {
  throw new Error('nothing there');
}
