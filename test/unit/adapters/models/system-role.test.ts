import { describe, expect, test } from 'vitest';
import type { ModelPrompt } from '../../../../agent/definition/kind.ts';
import { fromVercelModel } from '../../../../adapters/models/vercel/from-vercel-model.ts';
import type { ChatMessage } from '../../../../agent/values/vocabulary.ts';
import { callContext, failureOf, modelRequest, scriptedOpenAI } from '../../../support/model-calls.ts';
import { apiCallError, finish, sdkModel } from '../../../support/sdk-model.ts';

const system: ChatMessage = { role: 'system', content: 'Help.' };
const user = (content: string): ChatMessage => ({ role: 'user', content });
const turn: ChatMessage[] = [
  { role: 'assistant', content: null, toolCalls: [{ id: 'call_1', name: 'look', arguments: '{}' }] },
  { role: 'tool', content: 'Seen.', toolCallId: 'call_1' },
];
const said: ModelPrompt = {
  type: 'messages',
  messages: [system, user('Notes.'), user('Look.'), ...turn, user('Be quick.')],
  tools: [{ name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } }],
};

describe('a model that takes no system message', () => {
  test.each([
    [400, 'System role not supported'],
    [500, 'System role not supported'],
    [400, 'Only user and assistant roles are supported!'],
    [400, 'Developer instruction is not enabled for models/gemma-3-4b-it'],
    [400, "Unsupported value: 'messages[0].role' does not support 'system' with this model."],
    [400, "This model doesn't support system messages. Try again without a system message."],
    [422, 'system messages are not supported by this model'],
  ])('has its text in the first message of the user: %i %s', async (status, message) => {
    const { server, ask } = await scriptedOpenAI([{ status, error: { message } }, 'one', 'two']);
    const request = modelRequest({}, { prompt: said });
    const warnings = [expect.stringContaining('no system message')];
    expect(await ask(request)).toMatchObject({ text: 'one', warnings });
    expect((await ask(request)).warnings).toBeUndefined();
    const sent = server.requests.map(({ body }) => body['messages']);
    expect(sent[1]).toMatchObject([
      { role: 'user', content: 'Help.\n\nNotes.\n\nLook.' },
      { role: 'assistant' },
      { role: 'tool' },
      { role: 'assistant' },
      { role: 'user', content: 'Be quick.' },
    ]);
    expect(sent[2]).toEqual(sent[1]);
  });

  test('may be one of the AI SDK, and the conversation may begin with the assistant', async () => {
    const error = apiCallError('System role not supported', { statusCode: 400 });
    const model = sdkModel('v2', [error, [{ type: 'text', text: 'one' }, finish('stop', 'v2')]]);
    const messages: ChatMessage[] = [system, { role: 'assistant', content: 'Hello.' }, user('Look.')];
    const prompt: ModelPrompt = { type: 'messages', messages };
    await fromVercelModel(model).call(modelRequest({}, { prompt }), callContext());
    expect(model.calls[1]?.prompt).toMatchObject([
      { role: 'user', content: [{ text: 'Help.' }] },
      { role: 'assistant' },
      { role: 'user' },
    ]);
  });

  test.each([
    'Only user and assistant roles are supported, with the exception of an initial optional system message!',
    'The system message is too long',
  ])('is another one than this: %s', async (message) => {
    const { server, ask } = await scriptedOpenAI([{ status: 400, error: { message } }]);
    await failureOf(ask(modelRequest({}, { prompt: said })));
    expect(server.requests).toHaveLength(1);
  });
});
