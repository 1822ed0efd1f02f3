import { expect, test } from 'vitest';
import { checkReply } from '../../../../../activities/model/check-reply.ts';
import { fromVercelModel } from '../../../../../adapters/models/vercel/from-vercel-model.ts';
import { callContext, modelRequest, scriptedOpenAI } from '../../../../support/model-calls.ts';
import { sdkModel } from '../../../../support/sdk-model.ts';

const counts = (
  promptTokens: number,
  completionTokens: number,
  cachedTokens?: number,
  parts: { cacheWriteTokens?: number; reasoningTokens?: number } = {},
) => ({
  promptTokens,
  completionTokens,
  totalTokens: promptTokens + completionTokens,
  cachedTokens,
  ...parts,
});
const thought = { reasoningTokens: 1000 };
const openAI = (prompt: number, completion: number, more: object = {}) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  ...more,
});
const thoughts = { completion_tokens_details: { reasoning_tokens: 1000 } };
const cached = { prompt_tokens_details: { cached_tokens: 4000 } };

test.each<[source: string, usage: object, read: object]>([
  [
    'OpenAI: thoughts within the completion',
    openAI(100, 1010, thoughts),
    counts(100, 1010, undefined, thought),
  ],
  [
    'xAI: thoughts beside it, in the total',
    openAI(100, 10, { total_tokens: 1110, ...thoughts }),
    counts(100, 1010, undefined, thought),
  ],
  [
    'xAI without a total',
    { prompt_tokens: 100, completion_tokens: 10, ...thoughts },
    counts(100, 1010, undefined, thought),
  ],
  ['Gemini behind a gateway: in the total alone', openAI(100, 10, { total_tokens: 1110 }), counts(100, 1010)],
  [
    'OpenRouter: written to the cache, within the prompt',
    openAI(5000, 100, { prompt_tokens_details: { cached_tokens: 4000, cache_write_tokens: 300 } }),
    counts(5000, 100, 4000, { cacheWriteTokens: 300 }),
  ],
  [
    'LiteLLM to Anthropic: written to the cache',
    openAI(5000, 100, { cache_read_input_tokens: 0, cache_creation_input_tokens: 300 }),
    counts(5000, 100, undefined, { cacheWriteTokens: 300 }),
  ],
  ['OpenAI: cached tokens within the prompt', openAI(5000, 100, cached), counts(5000, 100, 4000)],
  ['Moonshot: cached_tokens at the top', openAI(5000, 100, { cached_tokens: 4000 }), counts(5000, 100, 4000)],
  [
    'DeepSeek: prompt_cache_hit_tokens',
    openAI(5000, 100, { prompt_cache_hit_tokens: 4000 }),
    counts(5000, 100, 4000),
  ],
  ['a gateway to Anthropic: cached beside the prompt', openAI(12, 100, cached), counts(4012, 100, 4000)],
  [
    'a gateway to Anthropic: all of the prompt written to the cache',
    openAI(12, 100, { cache_creation_input_tokens: 5000 }),
    counts(5012, 100, undefined, { cacheWriteTokens: 5000 }),
  ],
  [
    'the same with a total of all',
    openAI(12, 100, { ...cached, total_tokens: 4112 }),
    counts(4012, 100, 4000),
  ],
  [
    'the same with more new than cached tokens',
    openAI(6000, 100, { ...cached, total_tokens: 10_100 }),
    counts(10_000, 100, 4000),
  ],
])('tokens are the same number whoever counts: %s', async (_source, usage, read) => {
  const rawBody = JSON.stringify({ choices: [{ message: { content: 'hi' }, finish_reason: 'stop' }], usage });
  const { ask } = await scriptedOpenAI([{ rawBody }]);
  const reply = await ask();
  expect(reply.usage).toEqual(read);
  expect(checkReply('x', reply).usage).toEqual(read);
});

test.each<[what: string, usages: unknown[]]>([
  ['null behind it', [openAI(5000, 100), null]],
  ['an empty one behind it', [openAI(5000, 100), {}]],
  ['zeros behind it', [openAI(5000, 100), openAI(0, 0)]],
  ['zeros before it', [openAI(0, 0), openAI(5000, 100)]],
  ['in two parts', [openAI(5000, 0), openAI(0, 100)]],
  ['growing with each piece', [openAI(5000, 1), openAI(5000, 60), openAI(5000, 100)]],
  ['an unreadable one behind it', [openAI(5000, 100), { prompt_tokens: '5000' }]],
])('the largest of each count of a stream counts: %s', async (_what, usages) => {
  const pieces = usages.map((usage) => ({ choices: [{ delta: { content: 'hi' } }], usage }));
  const rawBody = pieces.map((piece) => `data: ${JSON.stringify(piece)}\n\n`).join('') + 'data: [DONE]\n\n';
  const { ask } = await scriptedOpenAI([{ rawBody }]);
  expect((await ask(modelRequest({ stream: true }))).usage).toEqual(counts(5000, 100));
});

const v2 = { inputTokens: 12, outputTokens: 100, totalTokens: 112, cachedInputTokens: 40_000 };
const v3 = { inputTokens: { total: 40_012, noCache: 12, cacheRead: 40_000 }, outputTokens: { total: 100 } };
const much = { ...v2, inputTokens: 50_000, totalTokens: 50_100 };
const written = { anthropic: { cacheCreationInputTokens: 300 } };

test.each<[source: string, version: string, provider: string, end: object, read: object]>([
  ['Anthropic, AI SDK 5', 'v2', 'anthropic.messages', { usage: v2 }, counts(40_012, 100, 40_000)],
  ['Anthropic, AI SDK 6', 'v3', 'anthropic.messages', { usage: v3 }, counts(40_012, 100, 40_000)],
  ['more new than cached tokens', 'v2', 'anthropic.messages', { usage: much }, counts(90_000, 100, 40_000)],
  ['Anthropic on Vertex', 'v2', 'vertex.anthropic.messages', { usage: much }, counts(90_000, 100, 40_000)],
  ['Bedrock, AI SDK 5', 'v2', 'amazon-bedrock', { usage: much }, counts(90_000, 100, 40_000)],
  [
    'tokens written to the cache',
    'v2',
    'anthropic.messages',
    { usage: v2, providerMetadata: written },
    counts(40_312, 100, 40_000, { cacheWriteTokens: 300 }),
  ],
  ['OpenAI, AI SDK 5: within', 'v2', 'openai.chat', { usage: much }, counts(50_000, 100, 40_000)],
  [
    'Google, AI SDK 5: thoughts in the total',
    'v2',
    'google.generative-ai',
    { usage: { inputTokens: 100, outputTokens: 10, totalTokens: 1110, reasoningTokens: 1000 } },
    counts(100, 1010, undefined, thought),
  ],
  [
    'AI SDK 6: the parts of each count',
    'v3',
    'openai.responses',
    {
      usage: {
        inputTokens: { total: 5000, noCache: 700, cacheRead: 4000, cacheWrite: 300 },
        outputTokens: { total: 1010, text: 10, reasoning: 1000 },
      },
    },
    counts(5000, 1010, 4000, { cacheWriteTokens: 300, ...thought }),
  ],
])('models of the AI SDK count the same: %s', async (_source, version, provider, end, read) => {
  const parts = [
    { type: 'text', text: 'hi' },
    { type: 'finish', finishReason: 'stop', ...end },
  ];
  const streamed = [
    { type: 'text-delta', id: '0', delta: 'hi' },
    { type: 'finish', finishReason: 'stop', ...end },
  ];
  const model = { ...sdkModel(version, [parts, streamed]), provider };
  for (const stream of [false, true]) {
    const reply = await fromVercelModel(model).call(modelRequest({ stream }), callContext());
    expect(reply.usage).toEqual(read);
  }
});
