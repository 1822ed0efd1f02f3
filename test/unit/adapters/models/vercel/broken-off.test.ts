import { describe, expect, test } from 'vitest';
import { checkReply } from '../../../../../activities/model/check-reply.ts';
import { finishReasonOf, isBrokenOff } from '../../../../../agent/model-reply/finish-reason.ts';
import { fromVercelModel } from '../../../../../adapters/models/vercel/from-vercel-model.ts';
import { callContext, failureOf, modelRequest, scriptedOpenAI } from '../../../../support/model-calls.ts';
import { finish, sdkModel } from '../../../../support/sdk-model.ts';

const BROKEN: [source: string, reason: string][] = [
  ['OpenRouter, vLLM, Mistral', 'error'],
  ['vLLM, SGLang', 'abort'],
  ['DeepSeek', 'insufficient_system_resource'],
  ['Z.ai', 'network_error'],
  ['Cohere', 'TIMEOUT'],
  ['Cohere', 'USER_CANCEL'],
  ['the AI SDK 7', 'interrupted'],
];

describe('a reason to finish', () => {
  test.each([
    ['OpenAI', 'length', 'length'],
    ['Mistral', 'model_length', 'length'],
    ['Anthropic', 'max_tokens', 'length'],
    ['Gemini', 'MAX_TOKENS', 'length'],
    ['Z.ai, Anthropic', 'model_context_window_exceeded', 'length'],
    ['Cohere', 'ERROR_LIMIT', 'length'],
    ['the AI SDK', 'content-filter', 'content_filter'],
    ['Z.ai', 'sensitive', 'content_filter'],
    ['Gemini', 'PROHIBITED_CONTENT', 'content_filter'],
    ['Gemini behind a gateway', 'content_filter: SAFETY', 'content_filter'],
    ['Bedrock', 'guardrail_intervened', 'content_filter'],
    ['Anthropic', 'refusal', 'content_filter'],
    ['Hugging Face', 'eos_token', 'eos_token'],
    ['Anthropic', 'end_turn', 'end_turn'],
    ['Gemini', 'MALFORMED_FUNCTION_CALL', 'MALFORMED_FUNCTION_CALL'],
  ])('of %s is read: %s', (_source, said, read) => {
    expect(finishReasonOf(said)).toBe(read);
    expect(isBrokenOff(read)).toBe(false);
  });

  test.each(BROKEN)('of %s says that the provider broke off: %s', (_source, said) => {
    expect(isBrokenOff(finishReasonOf(said))).toBe(true);
  });
});

const counts = (version: string) => finish('stop', version)['usage'];
const HALF = 'The total is 4';
const CALL = { id: 'a', type: 'function', function: { name: 'refund', arguments: '{"euros":1}' } };
const cut = { type: 'ModelStreamCut', retryable: true };

const whole = (message: object, finish: object = {}) =>
  JSON.stringify({ choices: [{ index: 0, message, ...finish }] });
const stream = (choices: object[]) =>
  [...choices.map((choice) => JSON.stringify({ choices: [{ index: 0, ...choice }] })), '[DONE]']
    .map((event) => `data: ${event}\n\n`)
    .join('');

describe('a reply that the provider broke off is a failure that is asked again', () => {
  const messages = [{ content: HALF }, { content: null, tool_calls: [CALL] }];

  test.each(BROKEN)('of %s: %s', async (_source, finish_reason) => {
    for (const message of messages) {
      const { ask } = await scriptedOpenAI([
        { rawBody: whole(message, { finish_reason }) },
        {
          rawBody: stream([
            { delta: message, finish_reason: null },
            { delta: {}, finish_reason },
          ]),
        },
      ]);
      expect(await failureOf(ask())).toMatchObject(cut);
      expect(await failureOf(ask(modelRequest({ stream: true })))).toMatchObject(cut);
    }
  });

  test('that has no reason to finish where there should be one (Ollama 0.17, llama-cpp-python 0.3)', async () => {
    const open = { finish_reason: null };
    for (const message of messages) {
      const { ask } = await scriptedOpenAI([
        { rawBody: whole(message, open) },
        {
          rawBody: stream([
            { delta: message, ...open },
            { delta: { content: '' }, ...open },
          ]),
        },
      ]);
      expect(await failureOf(ask())).toMatchObject(cut);
      expect(await failureOf(ask(modelRequest({ stream: true })))).toMatchObject(cut);
    }
  });

  test('unless the server never speaks of such reasons', async () => {
    const { ask } = await scriptedOpenAI([
      { rawBody: whole({ content: HALF }) },
      { rawBody: stream([{ delta: { content: HALF } }]) },
    ]);
    expect(await ask()).toMatchObject({ text: HALF });
    expect(await ask(modelRequest({ stream: true }))).toMatchObject({ text: HALF });
  });

  test('with an error in its choice (OpenRouter), streamed and whole', async () => {
    const error = { code: 502, message: 'Upstream disconnected' };
    const { ask } = await scriptedOpenAI([
      { rawBody: whole({ content: HALF }, { finish_reason: 'error', error }) },
      { rawBody: stream([{ delta: { content: HALF } }, { delta: {}, finish_reason: 'error', error }]) },
    ]);
    for (const request of [modelRequest(), modelRequest({ stream: true })]) {
      const failure = await failureOf(ask(request));
      expect(failure).toMatchObject({ type: 'ModelServerError', retryable: true });
      expect(failure.message).toContain('Upstream disconnected');
    }
  });

  test('of the AI SDK, and of a model of the user’s own', async () => {
    const parts = [{ type: 'text', text: HALF }];
    for (const version of ['v2', 'v3', 'v4']) {
      const reply = await fromVercelModel(sdkModel(version, [[...parts, finish('error', version)]])).call(
        modelRequest(),
        callContext(),
      );
      expect(() => checkReply('sdk', reply)).toThrow('broke off after 14 characters');
    }
    const own = { text: HALF, toolCalls: [], finishReason: 'abort' };
    expect(() => checkReply('mine', own)).toThrow(expect.objectContaining(cut));
  });

  test.each([
    ['@ai-sdk/openai-compatible 1, @ai-sdk/openai 2, mistral 2, groq 2', 'v2', 'unknown', 'p.chat', {}],
    ['@ai-sdk/google 2', 'v2', 'unknown', 'google.generative-ai', counts('v2')],
    ['@ai-sdk/openai 3', 'v3', { unified: 'other' }, 'openai.chat', { inputTokens: {}, outputTokens: {} }],
    ['@ai-sdk/google 3', 'v3', { unified: 'other' }, 'google.generative-ai', counts('v3')],
    ['ollama-ai-provider-v2', 'v4', { unified: 'other' }, 'ollama', { inputTokens: {}, outputTokens: {} }],
  ])(
    'by the end of its connection, as %s says it',
    async (_source, version, finishReason, provider, usage) => {
      const parts = [
        { type: 'text-delta', id: '0', delta: HALF },
        { type: 'finish', finishReason, usage },
      ];
      const model = { ...sdkModel(version, [parts]), provider };
      const asked = fromVercelModel(model).call(modelRequest({ stream: true }), callContext());
      expect(await failureOf(asked)).toMatchObject(cut);
    },
  );

  test.each([
    ['v2', 'unknown', counts('v2')],
    ['v2', 'other', {}],
    ['v3', { unified: 'other' }, counts('v3')],
    ['v3', { unified: 'other', raw: 'eos_token' }, { inputTokens: {}, outputTokens: {} }],
  ])('unless a package says only so much of a whole stream: %s %j', async (version, finishReason, usage) => {
    const parts = [
      { type: 'text-delta', id: '0', delta: HALF },
      { type: 'finish', finishReason, usage },
    ];
    const asked = fromVercelModel(sdkModel(version, [parts])).call(
      modelRequest({ stream: true }),
      callContext(),
    );
    expect(checkReply('sdk', await asked)).toMatchObject({ text: HALF });
  });

  test('by an error that the package made up before the first word', async () => {
    const parts = [{ type: 'finish', finishReason: { unified: 'error' }, usage: {} }];
    const reply = await fromVercelModel(sdkModel('v3', [parts])).call(
      modelRequest({ stream: true }),
      callContext(),
    );
    expect(() => checkReply('sdk', reply)).toThrow(expect.objectContaining(cut));
  });

  test('unless it is a call of Gemini that @ai-sdk/google could not read: the model is told', async () => {
    const reply = await fromVercelModel(sdkModel('v2', [[finish('error', 'v2')]])).call(
      modelRequest(),
      callContext(),
    );
    expect(checkReply('sdk', reply)).toMatchObject({ text: '', finishReason: 'other' });
  });
});

describe('a stream without a byte', () => {
  const refusal = {
    message: "This model's maximum context length is 2048 tokens",
    code: 'context_length_exceeded',
  };

  test('is asked once more without stream, and that answer counts (llama-cpp-python 0.3)', async () => {
    const { ask, server } = await scriptedOpenAI([
      { rawBody: '', headers: { 'content-type': 'text/event-stream' } },
      { status: 400, error: refusal },
    ]);
    expect(await failureOf(ask(modelRequest({ stream: true })))).toMatchObject({
      type: 'ModelContextTooLong',
    });
    expect(server.requests.map(({ body }) => body['stream'])).toEqual([true, undefined]);
  });
});

describe('a stream with whole messages', () => {
  const said = (texts: [delta: string | undefined, message: string | undefined][]) =>
    stream([
      ...texts.map(([delta, message]) => ({
        ...(delta !== undefined && { delta: { content: delta } }),
        ...(message !== undefined && { message: { content: message } }),
        finish_reason: null,
      })),
      { delta: {}, finish_reason: 'stop' },
    ]);

  test.each<[source: string, texts: Parameters<typeof said>[0]]>([
    [
      'beside each delta, all so far (Perplexity)',
      [
        ['The ', 'The '],
        ['answer', 'The answer'],
        [' is 42.', 'The answer is 42.'],
      ],
    ],
    [
      'after the deltas',
      [
        ['The answer', undefined],
        [' is 42.', undefined],
        [undefined, 'The answer is 42.'],
      ],
    ],
    [
      'after the deltas, beside an empty one',
      [
        ['The answer', undefined],
        [' is 42.', undefined],
        ['', 'The answer is 42.'],
      ],
    ],
    ['and no deltas', [[undefined, 'The answer is 42.']]],
    ['and an empty delta', [['', 'The answer is 42.']]],
  ])('is read once: %s', async (_source, texts) => {
    const { ask } = await scriptedOpenAI([{ rawBody: said(texts) }]);
    expect((await ask(modelRequest({ stream: true }))).text).toBe('The answer is 42.');
  });
});

test.each(['MALFORMED_FUNCTION_CALL', 'unexpected_tool_call'])(
  'words before a call that could not be read are no answer: %s',
  (finishReason) => {
    const reply = { text: 'I look it up.', toolCalls: [], finishReason };
    expect(() => checkReply('x', reply)).toThrow(expect.objectContaining(cut));
    // The model is told of a call alone, since it may write the same again.
    expect(checkReply('x', { ...reply, text: ' ' })).toMatchObject({ finishReason });
  },
);
