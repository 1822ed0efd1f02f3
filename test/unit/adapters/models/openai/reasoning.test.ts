import { describe, expect, test } from 'vitest';
import type { Json } from '../../../../../agent/values/vocabulary.ts';
import { openai } from '../../../../../adapters/models/openai/openai.ts';
import { failureOf } from '../../../../support/model-calls.ts';
import {
  type Provider,
  call,
  deltas,
  hasResult,
  json,
  provider,
  shownAgain,
  toolTurn,
  whole,
} from '../../../../support/provider-servers.ts';

function modelAt({ url }: Provider, reasoning: 'return' | 'drop' = 'return') {
  return openai({ baseURL: `${url}/v1`, apiKey: 'sk-secret-key', reasoning });
}

const sunny = deltas([{ content: 'Sunny.' }], 'stop');
const called: { [field: string]: Json } = { tool_calls: [{ index: 0, ...call('c1') }] };

/** api-docs.deepseek.com/guides/thinking_mode: wanted back of replies that called tools; the 400 in openai/openai-agents-python#2155. */
function deepseek(thought: Json) {
  return provider((request) => {
    if (!hasResult(request)) {
      return deltas([{ content: null, reasoning_content: thought }, called], 'tool_calls');
    }
    const turn = request.body.messages.find((message) => message.tool_calls !== undefined);
    if (turn !== undefined && 'reasoning_content' in turn) return sunny;
    const message = 'The `reasoning_content` in the thinking mode must be passed back to the API.';
    const type = 'invalid_request_error';
    return json(400, { error: { message, type, param: null, code: type } });
  });
}

describe("a model's thought", () => {
  test('is told as it comes, apart from the text, and goes back to DeepSeek with the tool calls', async () => {
    const server = await deepseek('Rome. Let me look.');
    const thoughts: string[] = [];
    const onReasoning = (piece: string) => void thoughts.push(piece);
    const { first, second } = await toolTurn(modelAt(server), true, { onReasoning });
    expect(thoughts).toEqual(['Rome. Let me look.']);
    expect(first).toMatchObject({ text: '', reasoning: 'Rome. Let me look.' });
    expect(second.text).toBe('Sunny.');
    expect(shownAgain(server)).toMatchObject({ reasoning_content: 'Rome. Let me look.' });
    expect(server.requests).toHaveLength(2);
  });

  test('goes back empty where there was none, because DeepSeek wants the field', async () => {
    const server = await deepseek('');
    const { first } = await toolTurn(modelAt(server));
    expect(first.reasoning).toBeUndefined();
    expect(shownAgain(server)).toMatchObject({ reasoning_content: '' });
    expect(server.requests).toHaveLength(2);
  });

  // EverMind-AI/Raven#297: DeepSeek leaves the field out at times, and wants it back all the same.
  test('goes back empty where the field never came, once the server has asked for it', async () => {
    const server = await deepseek(null);
    const model = modelAt(server);
    const { second } = await toolTurn(model);
    expect(second.warnings).toEqual([expect.stringContaining('with an empty one')]);
    expect(server.requests).toHaveLength(3);
    await toolTurn(model);
    expect(server.requests).toHaveLength(5);
  });

  test.each(['return', 'drop'] as const)(
    'goes back to vLLM as `reasoning` if it is to: %s',
    async (reasoning) => {
      // docs.vllm.ai/en/stable/features/reasoning_outputs
      const thinks = deltas([{ reasoning: 'Hm. ' }, { reasoning: 'Rome.' }, called], 'tool_calls');
      const server = await provider((request) => (hasResult(request) ? sunny : thinks));
      const { first } = await toolTurn(modelAt(server, reasoning));
      expect(first.reasoning).toBe('Hm. Rome.');
      const shown = { role: 'assistant', content: '', tool_calls: [call('c1')] };
      const returned = reasoning === 'return' ? { reasoning: 'Hm. Rome.' } : {};
      expect(shownAgain(server)).toEqual({ ...shown, ...returned });
    },
  );

  test('is not shown again to a server that refuses to see it, with one request more in all', async () => {
    const server = await provider((request) => {
      if (!hasResult(request)) return deltas([{ reasoning: 'Hm.' }, called], 'tool_calls');
      if (request.body.messages.every((message) => !('reasoning' in message))) return sunny;
      const message =
        "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning' is unsupported)]";
      return json(400, { error: { message, type: 'invalid_request_error' } });
    });
    const model = modelAt(server);
    const { second } = await toolTurn(model);
    const warnings = [expect.stringContaining('refused to be shown')];
    expect(second).toMatchObject({ text: 'Sunny.', warnings });
    await toolTurn(model);
    expect(server.requests).toHaveLength(5);
  });

  test('is not sent back and forth to a server that wants it and refuses it', async () => {
    const server = await provider((request) => {
      if (!hasResult(request)) return deltas([called], 'tool_calls');
      const sent = request.body.messages.some((message) => 'reasoning_content' in message);
      const message = sent ? 'reasoning_content is not supported' : 'Missing `reasoning_content` field';
      return json(400, { error: { message, type: 'invalid_request_error' } });
    });
    expect(await failureOf(toolTurn(modelAt(server)))).toMatchObject({ type: 'ModelBadRequest' });
    expect(server.requests).toHaveLength(4);
  });

  test.each([true, false])(
    'comes from OpenRouter in signed blocks, and goes back so (stream: %s)',
    async (stream) => {
      // openrouter.ai/docs/guides/best-practices/reasoning-tokens
      const block = { type: 'reasoning.text', format: 'anthropic-claude-v1', index: 0 };
      const encrypted = { type: 'reasoning.encrypted', data: 'b64', index: 1 };
      const server = await provider((request) => {
        if (hasResult(request)) return stream ? sunny : whole({ content: 'Sunny.' }, 'stop');
        if (stream) {
          const thinks = ['Let me ', 'look.'].map((text) => ({
            reasoning: text,
            reasoning_details: [{ ...block, text }],
          }));
          const signed = { content: '', reasoning_details: [{ ...block, signature: 'sig' }] };
          return deltas([...thinks, signed, { reasoning_details: [encrypted] }, called], 'tool_calls');
        }
        const reasoning_details: Json = [{ ...block, text: 'Let me look.', signature: 'sig' }, encrypted];
        return whole({ content: '', reasoning: 'Let me look.', reasoning_details, ...called }, 'tool_calls');
      });
      const { first } = await toolTurn(modelAt(server), stream);
      expect(first.reasoning).toBe('Let me look.');
      const details = [{ ...block, text: 'Let me look.', signature: 'sig' }, encrypted];
      expect(shownAgain(server)).toMatchObject({ reasoning_details: details });
    },
  );

  test('comes from Mistral among the parts of the text, and goes back nowhere', async () => {
    // docs.mistral.ai/capabilities/reasoning
    const thinking: Json = { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] };
    const content: Json = [thinking, { type: 'text', text: 'I look.' }];
    const looks = whole({ content, tool_calls: [call('c1')] }, 'tool_calls');
    const server = await provider((request) =>
      hasResult(request) ? whole({ content: 'Sunny.' }, 'stop') : looks,
    );
    const { first } = await toolTurn(modelAt(server), false);
    expect(first).toMatchObject({ text: 'I look.', reasoning: 'Hm.', providerData: undefined });
    expect(shownAgain(server)).toEqual({ role: 'assistant', content: 'I look.', tool_calls: [call('c1')] });
  });

  test('is not kept with a reply that calls no tool, which goes back nowhere', async () => {
    const answer = deltas([{ reasoning_content: 'Hm.' }, { content: 'Sunny.' }], 'stop');
    const server = await provider(() => answer);
    const { first } = await toolTurn(modelAt(server));
    expect(first).toMatchObject({ text: 'Sunny.', reasoning: 'Hm.', providerData: undefined });
  });
});

describe('a signature of Gemini’s', () => {
  // ai.google.dev/gemini-api/docs/thought-signatures; the 400 of a call without it in crmne/ruby_llm#591.
  test.each([true, false])('goes back with its tool call (stream: %s)', async (stream) => {
    const signed = { extra_content: { google: { thought_signature: 'sig' } } };
    const server = await provider((request) => {
      if (hasResult(request)) return stream ? sunny : whole({ content: 'Sunny.' }, 'stop');
      const calls: Json = [call('c1', signed), call('c2')];
      if (!stream) return whole({ tool_calls: calls }, 'stop');
      return deltas([{ role: 'assistant', tool_calls: calls }], 'stop');
    });
    const model = openai({ baseURL: `${server.url}/v1beta/openai/`, apiKey: 'k', reasoning: 'drop' });
    await toolTurn(model, stream);
    expect(server.requests[0]?.path).toBe('/v1beta/openai/chat/completions');
    expect(shownAgain(server)).toMatchObject({ tool_calls: [{ id: 'c1', ...signed }, call('c2')] });
  });
});
