import { describe, expect, test } from 'vitest';
import type { ModelPrompt } from '../../../../../agent/definition/kind.ts';
import { fromVercelModel } from '../../../../../adapters/models/vercel/from-vercel-model.ts';
import type { ChatMessage } from '../../../../../agent/values/vocabulary.ts';
import { callContext, failureOf, modelRequest, scriptedOpenAI } from '../../../../support/model-calls.ts';
import { apiCallError, finish, sdkModel } from '../../../../support/sdk-model.ts';

const tools = [{ name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } }];
const system: ChatMessage = { role: 'system', content: 'Help.' };
const user = (content: string): ChatMessage => ({ role: 'user', content });
const turn = (id: string): ChatMessage[] => [
  { role: 'assistant', content: null, toolCalls: [{ id, name: 'look', arguments: '{}' }] },
  { role: 'tool', content: 'Seen.', toolCallId: id },
];
const said: ModelPrompt = {
  type: 'messages',
  messages: [system, user('Notes.'), user('Look.'), ...turn('call_1'), user('Be quick.')],
  tools,
};
const refusal = (message: string, code = 'invalid') => ({ status: 400, error: { message, code } });
const rolesOf = (body: { [field: string]: unknown }) =>
  (body['messages'] as { role: string }[]).map(({ role }) => role).join(' ');

describe('a model that refuses the roles of a prompt', () => {
  test.each<[message: string, code?: string]>([
    ["Unexpected role 'user' after role 'tool'", '3230'],
    ['Error', '3230'],
    [
      'After the optional system message, conversation roles must alternate user/assistant/user/assistant/...',
    ],
    ['Conversation roles must alternate user and assistant roles except for tool calls and results'],
    [
      'messages: roles must alternate between "user" and "assistant", but found multiple "user" roles in a row',
    ],
    ['Consecutive user messages are not allowed.'],
    ['Expected alternating roles'],
    ["A message of role 'user' cannot follow a message of role 'tool'"],
  ])('is asked again with the roles in turn: %s', async (message, code) => {
    const { server, ask } = await scriptedOpenAI([refusal(message, code), 'one', 'two']);
    const request = modelRequest({}, { prompt: said });
    const first = await ask(request);
    expect(first).toMatchObject({ text: 'one', warnings: [expect.stringContaining('roles')] });
    const second = await ask(request);
    expect(second).toMatchObject({ text: 'two' });
    expect(second.warnings).toBeUndefined();
    const inTurn = 'system user assistant tool assistant user';
    expect(server.requests.map(({ body }) => rolesOf(body))).toEqual([
      'system user user assistant tool user',
      inTurn,
      inTurn,
    ]);
    expect(server.requests[1]?.body['messages']).toMatchObject([
      {},
      { content: 'Notes.\n\nLook.' },
      {},
      {},
      { content: 'Noted.' },
      { content: 'Be quick.' },
    ]);
  });

  test('is asked once where the roles are in turn already', async () => {
    const { server, ask } = await scriptedOpenAI([refusal('roles must alternate')]);
    expect(await failureOf(ask())).toMatchObject({ type: 'ModelBadRequest' });
    expect(server.requests).toHaveLength(1);
  });

  test('may be a template, whose refusal llama.cpp answers with status 500', async () => {
    const error = { message: 'Conversation roles must alternate user/assistant' };
    const { ask } = await scriptedOpenAI([{ status: 500, error }, 'one']);
    expect(await ask(modelRequest({}, { prompt: said }))).toMatchObject({ text: 'one' });
  });

  test('may be one of the AI SDK', async () => {
    const model = sdkModel('v3', [
      apiCallError('Bad Request', { statusCode: 400, responseBody: '{"code":"3230"}' }),
      [{ type: 'text', text: 'one' }, finish('stop', 'v3')],
    ]);
    const reply = await fromVercelModel(model).call(modelRequest({}, { prompt: said }), callContext());
    expect(reply).toMatchObject({ text: 'one' });
    expect(model.calls[1]?.prompt.map(({ role }) => role).join(' ')).toBe(
      'system user assistant tool assistant user',
    );
  });

  test('keeps the pictures of messages that are joined', async () => {
    const image = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const;
    const messages: ChatMessage[] = [user('Look.'), { role: 'user', content: [image] }];
    const { server, ask } = await scriptedOpenAI([refusal('roles must alternate'), 'one']);
    await ask(modelRequest({}, { prompt: { type: 'messages', messages } }));
    expect(server.requests[1]?.body['messages']).toMatchObject([
      { content: [{ type: 'text', text: 'Look.' }, { type: 'image_url' }] },
    ]);
  });
});

test.each([
  'Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.',
  "messages.2.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
  "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40.",
  'Invalid value for toolUseId',
])('a model that refuses ids of calls is asked again with others: %s', async (message) => {
  const { server, ask } = await scriptedOpenAI([refusal(message), 'one', 'two']);
  const request = modelRequest({}, { prompt: said });
  expect(await ask(request)).toMatchObject({ text: 'one', warnings: [expect.stringContaining('ids')] });
  await ask(request);
  const sent = server.requests.map(({ body }) => body['messages']);
  expect(JSON.stringify(sent[0])).toContain('call_1');
  const id: unknown = expect.stringMatching(/^[a-zA-Z0-9]{9}$/u);
  expect(sent[1]).toMatchObject([{}, {}, {}, { tool_calls: [{ id }] }, { tool_call_id: id }, {}]);
  expect(sent[2]).toEqual(sent[1]);
});

describe('a model that takes no images', () => {
  const image = { type: 'image', mediaType: 'image/png', bytes: 34_000, data: 'AAAA' } as const;
  const seen: ChatMessage = { role: 'user', content: [{ type: 'text', text: 'What is it?' }, image] };
  const answered: ChatMessage = { role: 'assistant', content: 'A cat.' };
  const later = modelRequest(
    {},
    { prompt: { type: 'messages', messages: [seen, answered, user('Thanks.')] } },
  );
  const asked = modelRequest({}, { prompt: { type: 'messages', messages: [answered, seen] } });
  const inWords = [
    { content: 'What is it?\n[image image/png 34 KB]' },
    { content: 'A cat.' },
    { content: 'Thanks.' },
  ];

  test.each([
    [400, 'messages[1]: unknown variant `image_url`, expected `text`'],
    [400, 'Failed to deserialize the JSON body: messages[3]: unknown variant "image_url", expected "text"'],
    [400, 'Invalid content type. image_url is only supported by certain models.'],
    [400, 'Model do not support image input.'],
    [400, 'this model does not support image input (ref: 1)'],
    [400, 'm is not a multimodal model'],
    [400, 'At most 0 image(s) may be provided in one prompt.'],
    [400, 'Image input is not enabled for this model'],
    [400, 'Image inputs are not supported by this model.'],
    [400, "This model doesn't support the image content block that you provided."],
    [
      400,
      "'messages.0' : for 'role:user' the following must be satisfied[('messages.0.content' : value must be a string)]",
    ],
    [404, 'No endpoints found that support image input'],
    [422, 'messages.1.content: Input should be a valid string'],
    [500, 'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj'],
    [400, '当前模型不支持图片输入'],
  ])('is told earlier images in words: %i %s', async (status, message) => {
    const refused = { status, error: { message } };
    const { server, ask } = await scriptedOpenAI([refused, 'one', 'two']);
    expect(await ask(later)).toMatchObject({ text: 'one', warnings: [expect.stringContaining('no images')] });
    expect((await ask(later)).warnings).toBeUndefined();
    expect(server.requests.map(({ body }) => body['messages'])).toMatchObject([
      [{}, {}, {}],
      inWords,
      inWords,
    ]);
  });

  test.each([
    [404, 'No endpoints found that support image input'],
    [500, 'image input is not supported'],
    [400, 'm is not a multimodal model'],
  ])('does not answer a question about an image: %i %s', async (status, message) => {
    const { server, ask } = await scriptedOpenAI([{ status, error: { message } }]);
    const failure = await failureOf(ask(asked));
    expect(failure).toMatchObject({ type: 'ModelBadRequest', retryable: false, lacksFeature: true });
    expect(failure.message).toMatch(/describe the image in words.*images: false/u);
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    'Unsupported image format: image/tiff',
    'This model does not support file type application/msword',
    'The model does not support images larger than 20 MB',
    'model m not found',
  ])('is another one than this: %s', async (message) => {
    const { server, ask } = await scriptedOpenAI([refusal(message)]);
    expect((await failureOf(ask(later))).message).not.toContain('images: false');
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    apiCallError('Not Found', {
      statusCode: 404,
      responseBody: '{"error":{"message":"No endpoints found that support image input"}}',
    }),
    Object.assign(new Error("'image-part' functionality not supported."), {
      name: 'AI_UnsupportedFunctionalityError',
    }),
  ])('may be one of the AI SDK: $message', async (error) => {
    const model = sdkModel('v3', [error, [{ type: 'text', text: 'one' }, finish('stop', 'v3')], error]);
    const given = fromVercelModel(model);
    expect(await given.call(later, callContext())).toMatchObject({ text: 'one' });
    expect(JSON.stringify(model.calls.map(({ prompt }) => prompt[0]))).toMatch(/"file".*\[image image/u);
    expect((await failureOf(given.call(asked, callContext()))).message).toContain('images: false');
  });
});

test.each([
  'registry.ollama.ai/library/m:latest does not support tools',
  "This model doesn't support tool use.",
  '`tool calling` is not supported with this model',
])('a model without tools is told the calls of another agent in words: %s', async (message) => {
  const refused = refusal(message);
  const { server, ask } = await scriptedOpenAI([refused, 'one', refused]);
  const messages = [user('Look.'), ...turn('call_1')];
  expect(await ask(modelRequest({}, { prompt: { type: 'messages', messages } }))).toMatchObject({
    text: 'one',
  });
  expect(server.requests[0]?.body['tools']).toHaveLength(1);
  expect(server.requests[1]?.body).not.toHaveProperty('tools');
  expect(server.requests[1]?.body['messages']).toEqual([
    { role: 'user', content: 'Look.' },
    { role: 'assistant', content: '[I called the tool look with {}]' },
    { role: 'user', content: '[Result of the tool look] Seen.' },
  ]);
  // An agent with tools has no use for a model without.
  const own = modelRequest({}, { prompt: { type: 'messages', messages, tools } });
  expect(await failureOf(ask(own))).toMatchObject({ type: 'ModelBadRequest' });
});

test('a summary is asked for in words where a model wants tools, which @ai-sdk/anthropic leaves out', async () => {
  const words = 'Requests which include `tool_use` or `tool_result` blocks must define tools';
  for (const message of [
    words,
    'The toolConfig field must be defined when using toolUse and toolResult content blocks.',
  ]) {
    const model = sdkModel('v3', [
      apiCallError(message, { statusCode: 400 }),
      [{ type: 'text', text: 'one' }, finish('stop', 'v3')],
    ]);
    const prompt: ModelPrompt = { ...said, toolChoice: 'none' };
    await fromVercelModel(model).call(modelRequest({}, { prompt }), callContext());
    expect(model.calls[1]?.['tools']).toBeUndefined();
    expect(JSON.stringify(model.calls[1]?.prompt)).toContain('[I called the tool look with {}]');
  }
});

test.each([
  '"m" does not support thinking',
  'think value "low" is not supported for this model',
  'Unsupported parameter: reasoning.effort',
])('reasoning_effort is left out where a server refuses it in its own words: %s', async (message) => {
  const { server, ask } = await scriptedOpenAI([refusal(message), 'one']);
  await ask(modelRequest({ extra: { reasoning_effort: 'low' } }));
  expect(server.requests.map(({ body }) => body['reasoning_effort'])).toEqual(['low', undefined]);
});

test('a model that wants its thoughts back is sent a text where none were kept', async () => {
  const missing =
    'thinking is enabled but reasoning_content is missing in assistant tool call message at index 3';
  const { server, ask } = await scriptedOpenAI([refusal(missing), refusal(missing), 'one', 'two']);
  await ask(modelRequest({}, { prompt: said }));
  await ask(modelRequest({}, { prompt: said }));
  const thoughts = server.requests.map(
    ({ body }) => (body['messages'] as { [field: string]: unknown }[])[3]?.['reasoning_content'],
  );
  expect(thoughts).toEqual([undefined, '', '(not kept)', '(not kept)']);
});

test('a server that refuses an empty text is sent none beside calls', async () => {
  const refused = refusal('messages: text content blocks must be non-empty');
  const { server, ask } = await scriptedOpenAI([refused, 'one']);
  await ask(modelRequest({}, { prompt: said }));
  const contents = server.requests.map(
    ({ body }) => (body['messages'] as { [field: string]: unknown }[])[3]?.['content'],
  );
  expect(contents).toEqual(['', null]);
});
