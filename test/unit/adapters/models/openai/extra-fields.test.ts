import { describe, expect, test } from 'vitest';
import type { ModelPrompt } from '../../../../../agent/definition/kind.ts';
import { plainParams } from '../../../../../agent/prompt/fitting-params.ts';
import { modelRequest, scriptedOpenAI } from '../../../../support/model-calls.ts';

const said: ModelPrompt = {
  type: 'messages',
  messages: [{ role: 'user', content: 'Look.' }],
  tools: [{ name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } }],
};

describe('fields of `extra`', () => {
  const extra = {
    tool_choice: 'required',
    parallel_tool_calls: false,
    top_k: 5,
    response_format: { type: 'json' },
  };
  const sent = async (prompt: ModelPrompt) => {
    const { server, ask } = await scriptedOpenAI(['one']);
    await ask(modelRequest({ extra }, { prompt }));
    return server.requests[0]?.body ?? {};
  };

  test('go along with tools', async () => {
    expect(await sent(said)).toMatchObject(extra);
  });

  test('about calls stay away where there are no tools', async () => {
    const body = await sent({ type: 'text', text: 'Hi.' });
    expect(body).toMatchObject({ top_k: 5, response_format: { type: 'json' } });
    expect(body).not.toHaveProperty('tool_choice');
    expect(body).not.toHaveProperty('parallel_tool_calls');
  });

  test('do not overrule a request that forbids calls', async () => {
    const body = await sent({ ...said, toolChoice: 'none' });
    expect(body).toMatchObject({ tool_choice: 'none', top_k: 5 });
  });

  test('about form stay away from summaries, also those of the AI SDK', () => {
    const params = modelRequest({ extra }).params;
    expect(plainParams(params).extra).toEqual({ top_k: 5 });
    const sdk = { openai: { parallelToolCalls: false, user: 'me' } };
    expect(plainParams({ ...params, extra: sdk }).extra).toEqual({ openai: { user: 'me' } });
  });
});
