import { describe, expect, test } from 'vitest';
import type { ChatMessage } from '../../../../../agent/values/vocabulary.ts';
import type { ModelRequest } from '../../../../../adapters/models/model.ts';
import { callContext, failureOf, modelRequest, scriptedOpenAI } from '../../../../support/model-calls.ts';

describe('a request', () => {
  const args = '{"city":"Rome"}';
  const toolTurn: ModelRequest['prompt'] = {
    type: 'messages',
    messages: [
      { role: 'user', content: 'Weather?' },
      { role: 'assistant', content: null, toolCalls: [{ id: 'c1', name: 'weather', arguments: args }] },
      { role: 'tool', content: 'sunny', toolCallId: 'c1' },
    ],
  };

  test('writes tool calls and their results in the words of the protocol', async () => {
    const { server, ask } = await scriptedOpenAI(['hi']);
    await ask(modelRequest({}, { prompt: toolTurn }));
    const called = { id: 'c1', type: 'function', function: { name: 'weather', arguments: args } };
    expect(server.requests[0]?.body['messages']).toEqual([
      { role: 'user', content: 'Weather?' },
      { role: 'assistant', content: '', tool_calls: [called] },
      { role: 'tool', content: 'sunny', tool_call_id: 'c1' },
    ]);
  });

  const parameters = { type: 'object', properties: { expression: { type: 'string' } } };
  const calculator = { name: 'calculator', description: 'Computes.', parameters };
  const messages: ChatMessage[] = [{ role: 'user', content: 'What is 6 times 7?' }];

  test('names the tools that may be called', async () => {
    const { server, ask } = await scriptedOpenAI(['42']);
    await ask(modelRequest({}, { prompt: { type: 'messages', messages, tools: [calculator] } }));
    const tools = [{ type: 'function', function: calculator }];
    expect(server.requests[0]?.body).toEqual({ model: 'test-model', messages, tools });
  });

  test('says that the tools may not be called any more', async () => {
    const { server, ask } = await scriptedOpenAI(['42']);
    const asked = { type: 'messages' as const, messages, tools: [calculator] };
    await ask(modelRequest({}, { prompt: { ...asked, toolChoice: 'none' } }));
    expect(server.requests[0]?.body).toMatchObject({ tools: [{}], tool_choice: 'none' });
  });

  test('leaves an empty list of tools out', async () => {
    const { server, ask } = await scriptedOpenAI(['42']);
    await ask(modelRequest({}, { prompt: { type: 'messages', messages, tools: [] } }));
    expect(server.requests[0]?.body).toEqual({ model: 'test-model', messages });
  });

  test.each<{ what: string; prompt: ModelRequest['prompt'] }>([
    { what: 'tool calls', prompt: toolTurn },
    { what: 'tools', prompt: { type: 'messages', messages, tools: [calculator] } },
  ])('is refused before it is sent to legacy completions with $what', async ({ prompt }) => {
    const { server, ask } = await scriptedOpenAI(['hi']);
    const error = await failureOf(ask(modelRequest({ api: 'completions' }, { prompt })));
    expect(error).toMatchObject({ type: 'ModelBadRequest', retryable: false });
    expect(server.requests).toHaveLength(0);
  });
});

const piece = (args: unknown, { name, ...more }: { id?: string; index?: number; name?: string } = {}) => {
  return { ...more, function: { name, arguments: args } };
};

const A = { id: 'a', name: 'x' };
const A0 = { ...A, index: 0 };
const B = { id: 'b', name: 'y' };
const X = { name: 'x' };
const A1 = { index: 1, name: 'x' };

describe('a reply', () => {
  const weather = { name: 'weather', arguments: { city: 'Zürich' } };
  const search = { name: 'search', arguments: '{"q": bro', id: 'own-id' };
  test.each([true, false])(
    'collects tool calls with their arguments as written (stream: %s)',
    async (stream) => {
      const text = 'Let me look.';
      const { ask } = await scriptedOpenAI([{ text, toolCalls: [weather, search] }]);
      const first = { id: 'call_1_1', name: 'weather', arguments: '{"city":"Zürich"}' };
      const reply = { text, finishReason: 'tool_calls', toolCalls: [first, search] };
      expect(await ask(modelRequest({ stream }))).toMatchObject(reply);
    },
  );

  test.each<[what: string, pieces: object[], read: string]>([
    ['without an index', [piece('{}', A), piece({ n: 1 }, B)], 'a x {}, b y {"n":1}'],
    ['without an id, numbered from 1', [piece('{"a"', A1), piece(':1}', A1)], 'call_1_1 x {"a":1}'],
    [
      'with just names',
      [piece('{"a"', X), piece(':1}'), piece('{}', X)],
      'call_1_1 x {"a":1}, call_1_2 x {}',
    ],
    ['that are all numbered 0', [piece('{}', A0), piece('1', { ...A0, id: 'b' })], 'a x {}, b x 1'],
    [
      'with another id in every piece',
      [piece('{"n"', A0), piece(':1}', { index: 0, id: 'b' })],
      'a x {"n":1}',
    ],
  ])('is understood from a server that streams tool calls %s', async (_what, pieces, read) => {
    const events = pieces.map((one) => ({ choices: [{ delta: { tool_calls: [one] } }] }));
    const rawBody = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('') + 'data: [DONE]\n\n';
    const { ask } = await scriptedOpenAI([{ rawBody }]);
    const { toolCalls } = await ask(modelRequest({ stream: true }));
    expect(toolCalls.map((one) => `${one.id} ${one.name} ${one.arguments}`).join(', ')).toBe(read);
  });

  test.each([
    ['no ids', [undefined, undefined], ['call_1_3_1', 'call_1_3_2']],
    ['empty ids', ['', ''], ['call_1_3_1', 'call_1_3_2']],
    ['an id that is like one of ours', ['call_1_3_2', ''], ['call_1_3_2', 'call_1_3_2_1']],
  ])('keeps tool calls apart from a server that gives them %s', async (_what, given, ids) => {
    const tool_calls = given.map((id) => ({ id, function: { name: 'x', arguments: '{}' } }));
    const rawBody = JSON.stringify({ choices: [{ message: { content: null, tool_calls } }] });
    const { model } = await scriptedOpenAI([{ rawBody }]);
    const { toolCalls } = await model.call(modelRequest(), callContext({ step: '1/3' }));
    expect(toolCalls).toEqual(ids.map((id) => ({ id, name: 'x', arguments: '{}' })));
  });

  test('has two different calls of one id as two, and the same call twice as one', async () => {
    const named = (args: string) => ({ id: 'a', function: { name: 'x', arguments: args } });
    const calls = ['{"n":1}', '{"n":2}', '{ "n": 1 }'].map(named);
    const read = [
      { id: 'a', name: 'x', arguments: '{"n":1}' },
      { id: 'call_1_3_2', name: 'x', arguments: '{"n":2}' },
    ];
    const whole = JSON.stringify({ choices: [{ message: { content: null, tool_calls: calls } }] });
    const pieces = calls.map((call, index) => ({
      choices: [{ delta: { tool_calls: [{ ...call, index }] } }],
    }));
    const streamed =
      pieces.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('') + 'data: [DONE]\n\n';
    for (const [rawBody, stream] of [
      [whole, false],
      [streamed, true],
    ] as const) {
      const { model } = await scriptedOpenAI([{ rawBody }]);
      const { toolCalls } = await model.call(modelRequest({ stream }), callContext({ step: '1/3' }));
      expect(toolCalls).toEqual(read);
    }
  });
});
