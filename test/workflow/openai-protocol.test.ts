import { createAdaptorServer } from '@hono/node-server';
import OpenAI from 'openai';
import { z } from 'zod';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import { beforeAll, describe, expect, test } from 'vitest';
import type { TokenCaller } from '../../gateway/http/caller.ts';
import { createGateway } from '../../gateway/gateway.ts';
import type { AgentDefinition } from '../../config/define.ts';
import { ModelError, defineModel } from '../../adapters/models/model.ts';
import { createGate } from '../support/gate.ts';
import { useRig } from '../support/rig.ts';
import { guarded } from '../support/sample-tools.ts';
import { answer, inHalves, modelOf, promptOf, script, toolCall } from '../support/scripts.ts';

const gate = createGate();
const slow = inHalves(gate);

const broken = defineModel({
  call: () =>
    Promise.reject(
      new ModelError('ModelAuthenticationError', 'http://10.0.0.7/v1 refused: look at the apiKey.', {
        retryable: false,
      }),
    ),
});

const plain = { kind: 'tool-calling' } as const;
const agents = [
  { ...plain, name: 'echo', model: modelOf((_step, request) => `Asked: ${promptOf(request)}`) },
  {
    ...plain,
    name: 'careful',
    model: modelOf((step) =>
      step === '1' ? { text: 'One moment.', toolCalls: [toolCall('guarded')] } : 'done',
    ),
    tools: [guarded],
  },
  { ...plain, name: 'slow', model: slow },
  {
    ...plain,
    name: 'sum',
    output: z.object({ total: z.number() }),
    // The first reply does not fit, so the model is asked again.
    model: modelOf((step) => (step === '1' ? '{"total": "7"}' : '```json\n{"total": 7}\n```')),
  },
  { ...plain, name: 'broken', onModelFailure: 'fail', model: broken },
  { kind: 'zero-shot', name: 'reader', model: script(answer('42')) },
] satisfies AgentDefinition[];
const rig = useRig({ agents });

const callers = {
  root: { token: 'admin-token-0123456789', name: 'root', scopes: ['admin'] },
  rita: { token: 'starter-token-0123456789', name: 'rita', scopes: ['run', 'read'] },
  ann: { token: 'acme-token-0123456789', name: 'ann', tenant: 'openai-acme', scopes: ['admin'] },
  sam: { token: 'only-starts-token-0123456789', name: 'sam', scopes: ['run'] },
  otto: { token: 'other-token-0123456789', name: 'otto', tenant: 'openai-other', scopes: ['admin'] },
} satisfies { [name: string]: TokenCaller };

let baseURL: string;
beforeAll(async () => {
  // Each request goes to a gateway of its own, as behind a balancer.
  const server = createAdaptorServer({
    fetch: (request) => createGateway(rig.client, { tokens: Object.values(callers), agents }).fetch(request),
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  baseURL = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v1`;
  return () => void server.close();
});

const clientOf = (who: keyof typeof callers) =>
  new OpenAI({ baseURL, apiKey: callers[who].token, maxRetries: 0 });
const approvalOf = (id: string) =>
  ({ type: 'mcp_approval_response', approval_request_id: id, approve: true }) as const;
const ask = (content: string) => [{ role: 'user' as const, content }];

describe('a chat completion', () => {
  test('is the answer of a run, with the messages before the question, and its usage', async () => {
    const { id, choices, usage } = await clientOf('root').chat.completions.create({
      model: 'echo',
      messages: [
        { role: 'user', content: 'I am Ann.' },
        { role: 'assistant', content: 'Hi' },
        ...ask('Who?'),
      ],
    });
    expect(choices[0]).toMatchObject({ finish_reason: 'stop', message: { role: 'assistant' } });
    expect(choices[0]?.message.content).toMatch(/I am Ann\..*Who\?/u);
    expect(usage).toMatchObject({ prompt_tokens: 10, total_tokens: 15 });
    expect((await rig.client.get(id.replace('chatcmpl-', '')).describe()).agent).toBe('echo');
  });

  test('streams the text, and with a session the conversation is kept', async () => {
    const body = { model: 'echo', metadata: { session: 'chat' }, stream_options: { include_usage: true } };
    await clientOf('ann').chat.completions.create({ ...body, messages: ask('I am Ann.') });
    const stream = clientOf('ann').chat.completions.stream({ ...body, messages: ask('Who?') });
    const final = await stream.finalChatCompletion();
    expect(final.choices[0]?.message.content).toMatch(/I am Ann\..*Who\?/u);
    expect(final.usage?.total_tokens).toBe(15);
    expect((await rig.client.session('openai-acme.chat').describe()).runs).toHaveLength(2);
  });

  test('of an agent with a text format is the answer without the thoughts', async () => {
    const { choices } = await clientOf('root').chat.completions.create({
      model: 'reader',
      messages: ask('x'),
    });
    expect(choices[0]?.message.content).toBe('42');
  });

  test('is an error while the run waits, and the answer when the same key asks again later', async () => {
    const body = { model: 'careful', messages: ask('Do it.') };
    const headers = { 'Idempotency-Key': 'careful-1' };
    const create = (stream: boolean) =>
      clientOf('root').chat.completions.create({ ...body, stream }, { headers });
    const error: unknown = await create(false).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ status: 400, code: 'RunWaiting', type: 'invalid_request_error' });
    expect(String(error)).toContain('1.1 guarded: needs your approval');
    const [, run = ''] = /responses\/resp_(\S+)/u.exec(String(error)) ?? [];
    await rig.client.get(run).decide('1.1', { type: 'approve' });
    const completion = await create(false);
    expect(completion).toMatchObject({ choices: [{ message: { content: 'done' } }] });
  });
});

describe('a response', () => {
  test('has the texts and the tool calls, is continued by the next one, and is read again', async () => {
    const client = clientOf('ann');
    const first = await client.responses.create({ model: 'echo', input: 'I am Ann.' });
    expect(first).toMatchObject({ status: 'completed', model: 'echo', usage: { total_tokens: 15 } });
    const second = await client.responses.create({
      model: 'echo',
      input: 'Who?',
      previous_response_id: first.id,
    });
    expect(second.output_text).toMatch(/I am Ann\..*Asked.*Who\?/u);
    const third = await client.responses.create({
      model: 'echo',
      input: 'Again?',
      previous_response_id: second.id,
    });
    expect(third.output_text).toMatch(/I am Ann\..*Who\?.*Again\?/u);
    expect(await client.responses.retrieve(first.id)).toMatchObject({ output: first.output });
    const other = clientOf('otto').responses;
    const reference = { type: 'item_reference' as const, id: first.output[0]?.id ?? '' };
    for (const asked of [
      other.retrieve(first.id),
      other.cancel(first.id),
      other.create({ model: 'echo', input: 'x', previous_response_id: first.id }),
      other.create({ model: 'echo', input: [reference, ...ask('x')] }),
      other.create({ input: [approvalOf(first.id.replace('resp_', 'mcpr_') + ':1.1:0')] }),
    ]) {
      await expect(asked).rejects.toMatchObject({ status: 404, code: 'RunNotFound' });
    }
  });

  test('ends at a wait for approval, and goes on with the approval', async () => {
    const client = clientOf('root');
    const waiting = await client.responses.create({ model: 'careful', input: 'Do it.' });
    expect(waiting).toMatchObject({
      status: 'completed',
      output_text: 'One moment.\n\n',
      metadata: { waiting: '1.1 guarded: needs your approval' },
    });
    const request = waiting.output.find(({ type }) => type === 'mcp_approval_request');
    expect(await client.responses.retrieve(waiting.id)).toMatchObject({ status: 'in_progress' });
    const input = [approvalOf(request?.id ?? '')];
    const body = { model: 'careful', previous_response_id: waiting.id, input };
    await expect(clientOf('rita').responses.create(body)).rejects.toMatchObject({ status: 403 });
    const continued = { ...body, input: 'And then?' };
    await expect(clientOf('sam').responses.create(continued)).rejects.toMatchObject({ status: 403 });
    const done = await client.responses.stream(body).finalResponse();
    expect(done).toMatchObject({ id: waiting.id, status: 'completed' });
    expect(done.output.map((item) => ('output' in item ? item.output : item.type))).toEqual([
      'message',
      'did x',
      'message',
    ]);
    expect(done.output[1]).toMatchObject({ type: 'mcp_call', approval_request_id: request?.id });
    expect(await client.responses.create(body)).toMatchObject({ id: waiting.id, status: 'completed' });
    const late = client.responses.create({
      ...body,
      input: [{ ...approvalOf(request?.id ?? ''), approve: false }],
    });
    await expect(late).rejects.toMatchObject({ status: 409, code: 'DecisionRefused' });
  });

  test('is lost in the middle of a text, and continued at another gateway', async () => {
    const client = clientOf('root');
    const text = (event: ResponseStreamEvent) =>
      event.type === 'response.output_text.delta' ? event.delta : '';
    const begun = await client.responses.create({
      model: 'slow',
      input: 'x',
      background: true,
      stream: true,
    });
    let [id, read, after] = ['', '', 0];
    for await (const event of begun) {
      if (event.type === 'response.created') id = event.response.id;
      [read, after] = [read + text(event), event.sequence_number];
      if (read !== '') break;
    }
    expect(read).toBe('The first half, ');
    const rest = await client.responses.retrieve(id, { stream: true, starting_after: after });
    await gate.open();
    for await (const event of rest) read += text(event);
    expect(read).toBe('The first half, and the second.');
    const whole = await client.responses.stream({ response_id: id }).finalResponse();
    expect(whole.output_text).toBe(read);
  });

  test('in the background is cancelled', async () => {
    const client = clientOf('root');
    const { id, status } = await client.responses.create({ model: 'careful', input: 'x', background: true });
    expect(status).toBe('in_progress');
    expect(await client.responses.cancel(id)).toMatchObject({ id, status: 'cancelled' });
    expect(await client.responses.cancel(id)).toMatchObject({ status: 'cancelled' });
  });

  test('of a conversation takes its turn', async () => {
    const client = clientOf('root');
    const say = (input: string) =>
      client.responses.create({ model: 'echo', input, conversation: { id: 'turns' } });
    await say('I am Ann.');
    expect(await say('Who?')).toMatchObject({ conversation: { id: 'turns' }, status: 'completed' });
    await expect.poll(async () => (await rig.client.session('turns').describe()).messages).toHaveLength(4);
  });
});

test('agents are the models', async () => {
  const { data } = await clientOf('rita').models.list();
  expect(data.map(({ id }) => id)).toEqual(agents.map(({ name }) => name));
  expect(await clientOf('rita').models.retrieve('slow')).toEqual(data[2]);
  await expect(clientOf('rita').models.retrieve('no')).rejects.toMatchObject({ code: 'AgentNotFound' });
});

test('a structured answer is its JSON, once, in each form', async () => {
  const { chat, responses } = clientOf('root');
  const body = { model: 'sum', messages: ask('x') };
  const stream = await chat.completions.stream(body).finalChatCompletion();
  const texts = [
    (await chat.completions.create(body)).choices[0]?.message.content,
    stream.choices[0]?.message.content,
    (await responses.create({ model: 'sum', input: 'x' })).output_text,
  ];
  expect(texts).toEqual(['{"total":7}', '{"total":7}', '{"total":7}']);
});

test('a failed run is an error that does not name what the operator has set', async () => {
  const { chat, responses } = clientOf('root');
  const failed = await responses.create({ model: 'broken', input: 'x' });
  expect(failed).toMatchObject({
    status: 'failed',
    error: { code: 'invalid_prompt', type: 'ModelAuthenticationError' },
  });
  const asked: unknown = await chat.completions
    .create({ model: 'broken', messages: ask('x') })
    .catch((error: unknown) => error);
  expect(asked).toMatchObject({ code: 'RunFailed' });
  for (const text of [failed.error?.message ?? '', String(asked)]) {
    expect(text).toContain('ModelAuthenticationError');
    expect(text).not.toMatch(/10\.0\.0\.7|apiKey/u);
  }
});

test('the items of a request are listed, and a response is not deleted', async () => {
  const { responses } = clientOf('ann');
  const input = [...ask('I am Ann.'), { role: 'assistant' as const, content: 'Hi' }, ...ask('Who?')];
  const { id } = await responses.create({ model: 'echo', input, instructions: 'Be kind.' });
  const { data } = await responses.inputItems.list(id, { order: 'asc', limit: 3 });
  const texts = ['Be kind.', 'I am Ann.', 'Hi', 'Who?'];
  expect(data.map((item) => ('content' in item ? item.content : item))).toMatchObject(
    texts.slice(0, 3).map((text) => [{ text }]),
  );
  const all = [];
  for await (const item of responses.inputItems.list(id, { limit: 1 })) all.push(item);
  expect(all).toMatchObject(texts.toReversed().map((text) => ({ content: [{ text }] })));
  await expect(responses.delete(id)).rejects.toMatchObject({ status: 405, code: 'RunsAreKept' });
  await expect(clientOf('otto').responses.inputItems.list(id)).rejects.toMatchObject({ status: 404 });
  await expect(clientOf('otto').responses.delete(id)).rejects.toMatchObject({ status: 404 });
});

test.each([
  [404, 'AgentNotFound', 'no', 'root'],
  [401, 'Unauthorized', 'echo', undefined],
] as const)('a client is told the error with %d %s', async (status, code, model, who) => {
  const client = new OpenAI({ baseURL, apiKey: who === undefined ? 'x' : callers[who].token, maxRetries: 0 });
  await expect(client.responses.create({ model, input: 'x' })).rejects.toMatchObject({ status, code });
});
