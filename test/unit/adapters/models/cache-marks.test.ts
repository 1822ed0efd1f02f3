import { expect, test } from 'vitest';
import type { ModelPrompt } from '../../../../agent/definition/kind.ts';
import { openai } from '../../../../adapters/models/openai/openai.ts';
import { fromVercelModel } from '../../../../adapters/models/vercel/from-vercel-model.ts';
import { callContext, modelRequest, scriptedOpenAI } from '../../../support/model-calls.ts';
import { finish, sdkModel } from '../../../support/sdk-model.ts';

const prompt: ModelPrompt = {
  type: 'messages',
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Rome?' },
    { role: 'assistant', content: null, toolCalls: [{ id: 'c1', name: 'look', arguments: '{}' }] },
    { role: 'tool', content: 'sunny', toolCallId: 'c1' },
  ],
  tools: [{ name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } }],
};

const sent = async (asked: ModelPrompt, cacheControl?: boolean) => {
  const { server } = await scriptedOpenAI(['one']);
  const model = openai({
    baseURL: server.url,
    apiKey: 'k',
    ...(cacheControl !== undefined && { cacheControl }),
  });
  await model.call(modelRequest({}, { prompt: asked }), callContext());
  return server.requests[0]?.body['messages'];
};

test('a gateway gets marks at the end of the system message and of the last one', async () => {
  const marked = (text: string) => [{ type: 'text', text, cache_control: { type: 'ephemeral' } }];
  expect(await sent(prompt, true)).toEqual([
    { role: 'system', content: marked('Be brief.') },
    { role: 'user', content: 'Rome?' },
    expect.objectContaining({ role: 'assistant' }),
    { role: 'tool', content: marked('sunny'), tool_call_id: 'c1' },
  ]);
});

test('nothing is marked without the option, and in a prompt of one text that grows', async () => {
  expect(JSON.stringify(await sent(prompt))).not.toContain('cache_control');
  expect(await sent({ type: 'text', text: 'Hi.' }, true)).toEqual([{ role: 'user', content: 'Hi.' }]);
});

test('a model of the AI SDK gets them as options of the provider', async () => {
  const reply = [{ type: 'text', text: 'Sunny.' }, finish('stop', 'v3')];
  const sdk = sdkModel('v3', [reply, reply]);
  const request = modelRequest({}, { prompt });
  await fromVercelModel(sdk, { cacheControl: true }).call(request, callContext());
  const mark = expect.objectContaining({ anthropic: { cacheControl: { type: 'ephemeral' } } });
  expect(
    sdk.calls[0]?.prompt.map((message) => [
      message.role,
      'providerOptions' in message && message.providerOptions,
    ]),
  ).toEqual([
    ['system', mark],
    ['user', false],
    ['assistant', false],
    ['tool', mark],
  ]);
  await fromVercelModel(sdk).call(request, callContext());
  expect(JSON.stringify(sdk.calls[1])).not.toContain('cacheControl');
});
