import { describe, expect, test } from 'vitest';
import type { ChatMessage } from '../../agent/values/vocabulary.ts';
import type { ModelRequest } from '../../models/model.ts';
import { callContext, failureOf, modelRequest, scriptedOpenAI } from '../support/model-calls.ts';

describe('a request', () => {
  const toolTurn: ModelRequest['prompt'] = {
    type: 'messages',
    messages: [
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        content: null,
        toolCalls: [{ id: 'c1', name: 'weather', arguments: '{"city":"Rome"}' }],
      },
      { role: 'tool', content: 'sunny', toolCallId: 'c1' },
    ],
  };

  test('writes tool calls and their results in the words of the protocol', async () => {
    const { server, ask } = await scriptedOpenAI(['hi']);
    await ask(modelRequest({}, { prompt: toolTurn }));
    expect(server.requests[0]?.body['messages']).toEqual([
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } },
        ],
      },
      { role: 'tool', content: 'sunny', tool_call_id: 'c1' },
    ]);
  });

  const calculator = {
    name: 'calculator',
    description: 'Computes.',
    parameters: { type: 'object', properties: { expression: { type: 'string' } } },
  };
  const messages: ChatMessage[] = [{ role: 'user', content: 'What is 6 times 7?' }];

  test('names the tools that may be called', async () => {
    const { server, ask } = await scriptedOpenAI(['42']);
    await ask(modelRequest({}, { prompt: { type: 'messages', messages, tools: [calculator] } }));
    expect(server.requests[0]?.body).toEqual({
      model: 'test-model',
      messages,
      tools: [{ type: 'function', function: calculator }],
    });
  });

  test('says that the tools may not be called any more', async () => {
    const { server, ask } = await scriptedOpenAI(['42']);
    const prompt: ModelRequest['prompt'] = {
      type: 'messages',
      messages,
      tools: [calculator],
      toolChoice: 'none',
    };
    await ask(modelRequest({}, { prompt }));
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

describe('a reply', () => {
  test.each([true, false])(
    'collects tool calls with the argument text as written (stream: %s)',
    async (stream) => {
      const { ask } = await scriptedOpenAI([
        {
          text: 'Let me look.',
          toolCalls: [
            { name: 'weather', arguments: { city: 'Zürich' } },
            { name: 'search', arguments: '{"q": bro', id: 'own-id' },
          ],
        },
      ]);
      expect(await ask(modelRequest({ stream }))).toMatchObject({
        text: 'Let me look.',
        finishReason: 'tool_calls',
        toolCalls: [
          { id: 'call_1_1', name: 'weather', arguments: '{"city":"Zürich"}' },
          { id: 'own-id', name: 'search', arguments: '{"q": bro' },
        ],
      });
    },
  );

  test.each([
    {
      what: 'tool calls without an index',
      calls: [
        [{ id: 'a', function: { name: 'x', arguments: '{}' } }],
        [{ id: 'b', function: { name: 'y', arguments: { n: 1 } } }],
      ],
      expected: [
        { id: 'a', name: 'x', arguments: '{}' },
        { id: 'b', name: 'y', arguments: '{"n":1}' },
      ],
    },
    {
      what: 'tool calls without an id, numbered from 1, with the name repeated',
      calls: [
        [{ index: 1, function: { name: 'x', arguments: '{"a"' } }],
        [{ index: 1, function: { name: 'x', arguments: ':1}' } }],
      ],
      expected: [{ id: 'call_1_1', name: 'x', arguments: '{"a":1}' }],
    },
    {
      what: 'tool calls with neither ids nor an index',
      calls: [
        [{ function: { name: 'x', arguments: '{"a"' } }],
        [{ function: { arguments: ':1}' } }],
        [{ function: { name: 'x', arguments: '{}' } }],
      ],
      expected: [
        { id: 'call_1_1', name: 'x', arguments: '{"a":1}' },
        { id: 'call_1_2', name: 'x', arguments: '{}' },
      ],
    },
    {
      what: 'tool calls that are all numbered 0',
      calls: [
        [{ index: 0, id: 'a', function: { name: 'x', arguments: '{}' } }],
        [{ index: 0, id: 'b', function: { name: 'x', arguments: '{"n":1}' } }],
      ],
      expected: [
        { id: 'a', name: 'x', arguments: '{}' },
        { id: 'b', name: 'x', arguments: '{"n":1}' },
      ],
    },
    {
      what: 'tool calls with another id in every piece',
      calls: [
        [{ index: 0, id: 'a', function: { name: 'x', arguments: '{"n"' } }],
        [{ index: 0, id: 'b', function: { arguments: ':1}' } }],
      ],
      expected: [{ id: 'a', name: 'x', arguments: '{"n":1}' }],
    },
    {
      what: 'the pieces of two calls mixed, the second one first',
      calls: [
        [{ index: 1, id: 'b', function: { name: 'y', arguments: '' } }],
        [{ index: 0, id: 'a', function: { name: 'x', arguments: '{' } }],
        [{ index: 1, function: { arguments: '{"n":1}' } }],
        [{ index: 0, function: { arguments: '}' } }],
      ],
      expected: [
        { id: 'a', name: 'x', arguments: '{}' },
        { id: 'b', name: 'y', arguments: '{"n":1}' },
      ],
    },
  ])('is understood from a server that streams $what', async ({ calls, expected }) => {
    const events = calls.map((tool_calls) => ({ choices: [{ delta: { tool_calls } }] }));
    const rawBody = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('') + 'data: [DONE]\n\n';
    const { ask } = await scriptedOpenAI([{ rawBody }]);
    expect((await ask(modelRequest({ stream: true }))).toolCalls).toEqual(expected);
  });

  test.each([
    { what: 'no ids', given: [undefined, undefined], ids: ['call_1_3_1', 'call_1_3_2'] },
    { what: 'empty ids', given: ['', ''], ids: ['call_1_3_1', 'call_1_3_2'] },
    { what: 'the same id twice', given: ['a', 'a'], ids: ['a', 'call_1_3_2'] },
    {
      what: 'an id that is like one of ours',
      given: ['call_1_3_2', ''],
      ids: ['call_1_3_2', 'call_1_3_2_1'],
    },
  ])('keeps tool calls apart from a server that gives them $what', async ({ given, ids }) => {
    const tool_calls = given.map((id) => ({ id, function: { name: 'x', arguments: '{}' } }));
    const rawBody = JSON.stringify({ choices: [{ message: { content: null, tool_calls } }] });
    const { model } = await scriptedOpenAI([{ rawBody }]);
    const { toolCalls } = await model.call(modelRequest(), callContext({ step: '1/3' }));
    expect(toolCalls).toEqual(ids.map((id) => ({ id, name: 'x', arguments: '{}' })));
  });
});
