import { expect, test } from 'vitest';
import type { ModelPrompt } from '../../../../agent/definition/kind.ts';
import { callContext, modelRequest, scriptedOpenAI } from '../../../support/model-calls.ts';
import { fromVercelModel } from '../../../../adapters/models/vercel/from-vercel-model.ts';
import { apiCallError, finish, sdkModel } from '../../../support/sdk-model.ts';

const call = (id: string) => ({ id, name: 'look', arguments: `{"at":"${id}"}` });
const result = (id: string) => ({ role: 'tool', content: `Seen ${id}.`, toolCallId: id }) as const;
const prompt: ModelPrompt = {
  type: 'messages',
  messages: [
    { role: 'user', content: 'Look twice.' },
    { role: 'assistant', content: 'I look.', toolCalls: [call('a'), call('b')] },
    result('b'),
    result('a'),
    { role: 'assistant', content: null, toolCalls: [call('c')] },
    result('c'),
    { role: 'user', content: 'And?' },
  ],
  tools: [{ name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } }],
};
const message = 'This model only supports single tool-calls at once!';

test.each([400, 500])(
  'a template that knows one call in a message is shown each call by itself: %i',
  async (status) => {
    const { server, ask } = await scriptedOpenAI([{ status, error: { message } }, 'one', 'two']);
    const request = modelRequest({}, { prompt });
    const warnings = [expect.stringContaining('one call in a message')];
    expect(await ask(request)).toMatchObject({ text: 'one', warnings });
    expect((await ask(request)).warnings).toBeUndefined();
    const [, sent, later] = server.requests.map(({ body }) => body['messages']);
    expect(sent).toMatchObject([
      { role: 'user' },
      { content: 'I look.', tool_calls: [{ id: 'a' }] },
      { tool_call_id: 'a', content: 'Seen a.' },
      { content: '', tool_calls: [{ id: 'b' }] },
      { tool_call_id: 'b', content: 'Seen b.' },
      { tool_calls: [{ id: 'c' }] },
      { tool_call_id: 'c' },
      { role: 'user', content: 'And?' },
    ]);
    expect(later).toEqual(sent);
  },
);

test('so is one of the AI SDK', async () => {
  const error = apiCallError(message, { statusCode: 400 });
  const model = sdkModel('v3', [error, [{ type: 'text', text: 'one' }, finish('stop', 'v3')]]);
  await fromVercelModel(model).call(modelRequest({}, { prompt }), callContext());
  const roles = model.calls.map(({ prompt: sent }) => sent.map(({ role }) => role[0]).join(''));
  expect(roles).toEqual(['uatatu', 'uatatatu']);
});
