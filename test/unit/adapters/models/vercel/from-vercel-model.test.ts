import { describe, expect, test, vi } from 'vitest';
import { limits } from '../../../../../agent/values/limits.ts';
import type { ChatMessage } from '../../../../../agent/values/vocabulary.ts';
import { isUnbilled } from '../../../../../adapters/models/failure-types.ts';
import type { ModelRequest } from '../../../../../adapters/models/model.ts';
import {
  type VercelLanguageModel,
  fromVercelModel,
} from '../../../../../adapters/models/vercel/from-vercel-model.ts';
import { callContext, failureOf, modelRequest } from '../../../../support/model-calls.ts';
import { toolTurn } from '../../../../support/provider-servers.ts';
import { type SdkPart, apiCallError, finish, sdkModel } from '../../../../support/sdk-model.ts';

const signature = { anthropic: { signature: 'sig' } };
const toolCall = { type: 'tool-call', toolCallId: 'toolu_1', toolName: 'weather', input: '{"city":"Rome"}' };

/** Anthropic's reply with a thought, as its provider streams it: the signature comes last, with no text. */
function thoughtful(version: string): SdkPart[] {
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'reasoning-start', id: '0' },
    { type: 'reasoning-delta', id: '0', delta: 'Let me ' },
    { type: 'reasoning-delta', id: '0', delta: 'look.' },
    { type: 'reasoning-delta', id: '0', delta: '', providerMetadata: signature },
    { type: 'reasoning-end', id: '0' },
    { type: 'text-start', id: '1' },
    { type: 'text-delta', id: '1', delta: 'I ' },
    { type: 'text-delta', id: '1', delta: 'look.' },
    { type: 'text-end', id: '1' },
    { type: 'tool-input-start', id: 'toolu_1', toolName: 'weather' },
    { type: 'tool-input-delta', id: 'toolu_1', delta: '{"city":"Rome"}' },
    { type: 'tool-input-end', id: 'toolu_1' },
    toolCall,
    finish('tool-calls', version),
  ];
}

function wholeThought(version: string): SdkPart[] {
  return [
    { type: 'reasoning', text: 'Let me look.', providerMetadata: signature },
    { type: 'text', text: 'I look.' },
    { type: 'source', sourceType: 'url', id: 's', url: 'http://127.0.0.1/' },
    toolCall,
    finish('tool-calls', version),
  ];
}

const text = (said: string): SdkPart[] => [
  { type: 'text-start', id: '0' },
  { type: 'text-delta', id: '0', delta: said },
  { type: 'text-end', id: '0' },
];
const sunny = (version: string) => [...text('Sunny.'), finish('stop', version)];

describe.each(['v2', 'v3', 'v4'])('a model of version %s', (version) => {
  test.each([true, false])(
    'says text, thoughts and calls, and gets them back (stream: %s)',
    async (stream) => {
      const first = stream ? thoughtful(version) : wholeThought(version);
      const second = stream ? sunny(version) : [{ type: 'text', text: 'Sunny.' }, finish('stop', version)];
      const sdk = sdkModel(version, [first, second]);
      const reply = await toolTurn(fromVercelModel(sdk), stream);
      expect(reply.first).toMatchObject({
        text: 'I look.',
        reasoning: 'Let me look.',
        toolCalls: [{ id: 'toolu_1', name: 'weather', arguments: '{"city":"Rome"}' }],
        finishReason: 'tool_calls',
        usage: { promptTokens: 10, completionTokens: 5, totalTokens: 15, cachedTokens: 4 },
      });
      expect(reply.second).toMatchObject({ text: 'Sunny.', finishReason: 'stop', providerData: undefined });
      const said = [
        { type: 'reasoning', text: 'Let me look.', providerOptions: signature },
        { type: 'text', text: 'I look.' },
        { type: 'tool-call', toolCallId: 'toolu_1', toolName: 'weather', input: { city: 'Rome' } },
      ];
      const output = { type: 'text', value: 'sunny' };
      const result = { type: 'tool-result', toolCallId: 'toolu_1', toolName: 'weather', output };
      expect(sdk.calls[1]?.prompt).toEqual([
        { role: 'user', content: [{ type: 'text', text: 'Weather in Rome?' }] },
        { role: 'assistant', content: said },
        { role: 'tool', content: [result] },
      ]);
    },
  );
});

describe('a model of the AI SDK', () => {
  const ask = (sdk: VercelLanguageModel, request = modelRequest({ stream: true }), context = callContext()) =>
    fromVercelModel(sdk).call(request, context);

  test('is told what the agent is set to, and its provider’s own options', async () => {
    const sdk = sdkModel('v3', [sunny('v3')]);
    const extra = { anthropic: { thinking: { type: 'enabled' } } };
    const params = { stream: true, temperature: 0, topP: 1, maxTokens: 9, extra };
    const tools = [{ name: 'a', description: 'A.', parameters: { type: 'object' } }];
    const messages: ChatMessage[] = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
    ];
    const prompt: ModelRequest['prompt'] = { type: 'messages', messages, tools, toolChoice: 'none' };
    await ask(sdk, modelRequest(params, { prompt, stop: ['STOP'] }));
    expect(sdk.calls[0]).toMatchObject({
      prompt: [{ role: 'system', content: 'Be brief.' }, { role: 'user' }],
      temperature: 0,
      topP: 1,
      maxOutputTokens: 9,
      stopSequences: ['STOP'],
      tools: [{ type: 'function', name: 'a', description: 'A.', inputSchema: { type: 'object' } }],
      toolChoice: { type: 'none' },
      providerOptions: extra,
    });
  });

  test('is not listened to behind a stop string that it does not know', async () => {
    const pieces = ['Action: a\nObser', 'vation: made up', ' and more'];
    const parts = pieces.map((delta) => ({ type: 'text-delta', id: '0', delta }));
    const context = callContext();
    const sdk = sdkModel('v3', [[...parts, finish('stop', 'v3')]]);
    const reply = await ask(sdk, modelRequest({ stream: true }, { stop: ['Observation:'] }), context);
    expect(reply).toMatchObject({ finishReason: 'stop', usage: undefined });
    expect(context.pieces.join('')).not.toContain('and more');
  });

  test('says once what its provider left out', async () => {
    const warned = (version: string): SdkPart[] => [
      { type: 'stream-start', warnings: [{ type: 'unsupported', feature: 'stopSequences' }] },
      ...sunny(version),
    ];
    const model = fromVercelModel(sdkModel('v3', [warned('v3'), warned('v3')]));
    const request = modelRequest({ stream: true });
    const { warnings } = await model.call(request, callContext());
    expect(warnings).toEqual([expect.stringContaining('stopSequences')]);
    expect((await model.call(request, callContext())).warnings).toBeUndefined();
  });

  const limited = { statusCode: 429, isRetryable: true };
  const busy = apiCallError('slow down', { ...limited, responseHeaders: { 'retry-after': '7' } });
  const noKey = Object.assign(new Error('ANTHROPIC_API_KEY is missing'), { name: 'AI_LoadAPIKeyError' });
  const nonsense = Object.assign(new Error('bad'), { name: 'AI_TypeValidationError' });
  const tooLong = apiCallError('prompt is too long: 9 tokens', { statusCode: 400 });
  const overloaded = apiCallError('no', { statusCode: 529, isRetryable: true });
  const away = apiCallError('Cannot connect', { isRetryable: true });

  test.each<[string, Error, type: string, retryable: boolean, retryAfterMs?: number]>([
    ['asks to wait', busy, 'ModelRateLimited', true, 7000],
    ['has no credit', apiCallError('insufficient_quota', limited), 'ModelRateLimited', false],
    ['refuses the key', apiCallError('no', { statusCode: 401 }), 'ModelAuthenticationError', false],
    ['is overloaded', overloaded, 'ModelServerError', true],
    ['was asked too much', tooLong, 'ModelContextTooLong', false],
    ['is not there', away, 'ModelConnectionError', true],
    ['was made without a key', noKey, 'ModelAuthenticationError', false],
    ['sends nonsense', nonsense, 'ModelInvalidResponse', true],
  ])('fails as any other model does where it %s', async (_what, error, type, retryable, retryAfterMs) => {
    const expected = { type, retryable, retryAfterMs };
    expect(await failureOf(ask(sdkModel('v3', [error])))).toMatchObject(expected);
    const inStream: SdkPart[] = [...text('Hel'), { type: 'error', error }];
    expect(await failureOf(ask(sdkModel('v3', [inStream])))).toMatchObject(expected);
  });

  test('was not asked where it turned the request away, or nobody listened', async () => {
    const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    const unreachable = apiCallError('Cannot connect', { isRetryable: true, cause: refused });
    for (const error of [overloaded, unreachable])
      expect(isUnbilled(await failureOf(ask(sdkModel('v3', [error]))))).toBe(true);
    expect(isUnbilled(await failureOf(ask(sdkModel('v3', [away]))))).toBe(false);
  });

  test.each<[string, unknown, object]>([
    [
      '@ai-sdk/anthropic',
      { type: 'overloaded_error', message: 'Overloaded' },
      { type: 'ModelServerError', retryable: true },
    ],
    [
      '@ai-sdk/openai 4',
      { message: 'slow down', type: 'tokens', code: 'x', statusCode: 429, isRetryable: true, data: {} },
      { type: 'ModelRateLimited', retryable: true },
    ],
    [
      '@ai-sdk/openai-compatible',
      { message: 'no', code: 'invalid_api_key', param: null },
      { type: 'ModelAuthenticationError', retryable: false },
    ],
    ['a server with a status as its code', { message: 'no', code: 404 }, { type: 'ModelNotFound' }],
    [
      'a server with words',
      { message: "This model's maximum context length is 9", type: 'invalid_request_error' },
      { type: 'ModelContextTooLong', retryable: false },
    ],
    ['a text', 'It fell over.', { type: 'ModelServerError', message: expect.stringContaining('fell over') }],
    ['another object', { internalServerException: {} }, { type: 'ModelServerError', retryable: true }],
    ['nothing', undefined, { type: 'ModelServerError', retryable: true }],
  ])(
    'fails as any other model does where its stream brings the error of %s',
    async (_of, error, expected) => {
      const inStream: SdkPart[] = [...text('Hel'), { type: 'error', error }];
      expect(await failureOf(ask(sdkModel('v4', [inStream])))).toMatchObject(expected);
    },
  );

  test('never repeats a key that stands in the environment', async () => {
    vi.stubEnv('OTHER_API_KEY', 'not-like-a-key-at-all');
    const error = apiCallError('invalid key not-like-a-key-at-all', { statusCode: 401 });
    expect((await failureOf(ask(sdkModel('v3', [error])))).message).not.toContain('not-like-a-key');
    vi.unstubAllEnvs();
  });

  test('is asked again where its stream breaks off', async () => {
    const error = await failureOf(ask(sdkModel('v3', [text('Hel')])));
    expect(error).toMatchObject({ type: 'ModelStreamCut', retryable: true });
  });

  test('ends with the call’s signal', async () => {
    const ended = new AbortController();
    const onText = () => ended.abort(new Error('cancelled by the run'));
    const context = callContext({ signal: ended.signal, onText });
    const asked = ask(sdkModel('v3', [sunny('v3')]), modelRequest({ stream: true }), context);
    await expect(asked).rejects.toThrow('cancelled by the run');
  });

  test('takes options by provider only', async () => {
    const request = modelRequest({ extra: { reasoning_effort: 'low' } });
    expect(await failureOf(ask(sdkModel('v3', []), request))).toMatchObject({ type: 'ModelBadRequest' });
  });

  test.each<[string, unknown, string]>([
    ['a name', 'anthropic/claude', 'anthropic('],
    ['another object', {}, 'not a language model'],
    ['a version that is not known', { ...sdkModel('v9', []) }, '"v9"'],
  ])('is refused at once where it is %s', (_what, given, says) => {
    // From JavaScript anything may come.
    expect(() => fromVercelModel(given as VercelLanguageModel)).toThrow(says);
  });

  const said = (parts: SdkPart[], stream = true) => {
    const model = fromVercelModel(sdkModel('v2', [[...parts, finish('stop', 'v2')]]));
    return model.call(modelRequest({ stream }), callContext({ step: '3' }));
  };

  test.each([true, false])('has calls with one id, or none, kept apart (stream: %s)', async (stream) => {
    const named = (toolCallId: string, at: number) => ({
      ...toolCall,
      toolCallId,
      input: `{"n":${Math.min(at, 2)}}`,
      providerMetadata: signature,
    });
    // The last one is there already.
    const { toolCalls, providerData } = await said([...['a', 'a', ''].map(named), named('a', 0)], stream);
    expect(toolCalls.map(({ id }) => id)).toEqual(['a', 'call_3_2', 'call_3_3']);
    expect(providerData).toMatchObject({ vercel: ['a', 'call_3_2', 'call_3_3'].map((id) => ({ id })) });
  });

  test.each([true, false])('has calls without arguments, and at most 256 (stream: %s)', async (stream) => {
    const calls = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ type: 'tool-call', toolCallId: `${at}`, toolName: 'x' }));
    expect((await said(calls(256), stream)).toolCalls).toHaveLength(256);
    const message = expect.stringContaining('more than 256 tool calls');
    expect(await failureOf(said(calls(257), stream))).toMatchObject({
      type: 'ModelInvalidResponse',
      message,
    });
  });

  test('has its thoughts kept as far as they can be recorded, and goes on', async () => {
    const piece = { type: 'reasoning-delta', id: '0', delta: 'x'.repeat(50_000) };
    const thoughts = Array.from({ length: 20 }, () => ({ ...piece, providerMetadata: signature }));
    const { reasoning, ...kept } = await said([...thoughts, ...text('hi'), toolCall]);
    expect(reasoning).toHaveLength(limits.reasoningBytes + 1);
    expect(kept).toMatchObject({ text: 'hi', providerData: undefined });
  });

  test('is ended, as cut, where it begins block after block', async () => {
    const starts = Array.from({ length: 20_000 }, (_, at) => ({ type: 'text-start', id: `${at}` }));
    expect(await said(starts)).toMatchObject({ text: '', finishReason: 'length' });
  });

  test.each([-4, 1.5, 1e300, Number.NaN])('has unknown usage where a count is %s', async (inputTokens) => {
    const usage = { inputTokens, outputTokens: 1, totalTokens: 1 };
    const end = { type: 'finish', finishReason: 'content-filter', usage };
    const model = fromVercelModel(sdkModel('v2', [[end]]));
    const reply = await model.call(modelRequest({ stream: true }), callContext());
    expect(reply).toMatchObject({ usage: undefined, finishReason: 'content_filter' });
  });
});
