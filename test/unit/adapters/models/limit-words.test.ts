import { describe, expect, test } from 'vitest';
import { isOutOfCredit } from '../../../../adapters/models/refusal-words.ts';
import { waitIn } from '../../../../agent/values/retry-after.ts';
import { isSecretKey } from '../../../../agent/text/secrets.ts';
import { fromVercelModel } from '../../../../adapters/models/vercel/from-vercel-model.ts';
import { openai } from '../../../../adapters/models/openai/openai.ts';
import * as model from '../../../support/model-calls.ts';
import { apiCallError, sdkModel } from '../../../support/sdk-model.ts';

const { bareServer, callContext, failureOf, modelRequest, scriptedOpenAI } = model;

describe('a limit', () => {
  const quota = 'You exceeded your current quota, please check your plan and billing details.';

  test.each<[source: string, said: string, waitMs: number | undefined, out: boolean]>([
    ['OpenAI', `insufficient_quota ${quota}`, undefined, true],
    ['OpenAI through LiteLLM 1.106', `litellm.RateLimitError: OpenAIException - ${quota}`, undefined, true],
    ['Anthropic', 'Your credit balance is too low to access the Anthropic API.', undefined, true],
    ['DeepSeek', 'Insufficient Balance', undefined, true],
    ['Gemini, per minute', `${quota} Please retry in 7.2s.`, 7200, false],
    ['Groq, per minute', 'Rate limit reached for model: Limit 6000, Used 5900.', undefined, false],
  ])('is one of credit, which no waiting helps, where it says so: %s', (_source, said, waitMs, out) => {
    expect(isOutOfCredit(429, said, waitMs)).toBe(out);
  });

  test.each<[source: string, said: string, ms: number | undefined]>([
    ['Gemini', '{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"58s"}', 58_000],
    ['Gemini, written twice', String.raw`{\"@type\": \"…RetryInfo\", \"retryDelay\": \"3.5s\"}`, 3_500],
    ['Gemini, in words', 'Please retry in 37.46s.', 37_460],
    ['OpenAI', 'Please try again in 20ms.', 20],
    ['Groq', 'Please try again in 7m12s. Need more tokens?', 432_000],
    ['Azure', 'Please retry after 26 seconds. To increase your limit, ask for more.', 26_000],
    ['in words', 'Try again in 1 minute 30 sec.', 90_000],
    ['in milliseconds', 'Please try again in 500 milliseconds.', 500],
    ['a day that is not meant', 'Please retry after 2 mistakes.', undefined],
    ['no time', 'Please try again in a moment.', undefined],
  ])('says how long to wait in its body, where no header does: %s', (_source, said, ms) => {
    expect(waitIn(said)).toBe(ms);
  });

  test('is waited for as LiteLLM and Gemini say', async () => {
    const error = {
      code: 429,
      message: 'Quota exceeded.',
      status: 'RESOURCE_EXHAUSTED',
      details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '3s' }],
    };
    const { ask } = await scriptedOpenAI([{ status: 429, headers: { 'llm_provider-retry-after': '7' } }]);
    expect(await failureOf(ask())).toMatchObject({ retryable: true, retryAfterMs: 7_000 });
    const baseURL = await bareServer((_request, response) => {
      response.writeHead(429, { 'content-type': 'application/json' }).end(JSON.stringify([{ error }]));
    });
    const gemini = openai({ baseURL, apiKey: 'any' }).call(modelRequest(), callContext());
    expect(await failureOf(gemini)).toMatchObject({ retryable: true, retryAfterMs: 3_000 });
    const called = apiCallError('Quota exceeded.', {
      statusCode: 429,
      responseBody: JSON.stringify({ error }),
    });
    const call = fromVercelModel(sdkModel('v2', [called])).call(modelRequest(), callContext());
    expect(await failureOf(call)).toMatchObject({ retryAfterMs: 3_000 });
  });
});

test('a word that stands for a key is not hidden, a key is', () => {
  for (const word of [
    'any',
    'ollama',
    'none',
    'EMPTY',
    'local',
    'lm-studio',
    'not-needed',
    'Bearer any',
    'x',
    '1234',
  ])
    expect(isSecretKey(word)).toBe(false);
  for (const key of [
    'sk-secret-key',
    'gsk_Ab12Cd34Ef56',
    'k3y4',
    'AIzaSyD-1234567890',
    'abcdefghijklmnopqrstuvwx',
    'qWeRtYuIoP',
  ])
    expect(isSecretKey(key)).toBe(true);
});
