import { describe, expect, test } from 'vitest';
import { typeOfStatus } from '../../../../adapters/models/failure-types.ts';
import { fromVercelModel } from '../../../../adapters/models/vercel/from-vercel-model.ts';
import * as model from '../../../support/model-calls.ts';
import { apiCallError, sdkModel } from '../../../support/sdk-model.ts';

const { callContext, failureOf, modelRequest, scriptedOpenAI } = model;

describe('a prompt that is too long', () => {
  test.each<[source: string, status: number, said: string]>([
    [
      'OpenAI',
      400,
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    ],
    [
      'OpenAI, responses',
      400,
      'Your input exceeds the context window of this model. Please adjust your input and try again.',
    ],
    ['OpenAI, code', 400, 'context_length_exceeded Hm.'],
    [
      'OpenAI, per minute',
      429,
      'Request too large for gpt-4 on tokens per min (TPM): Limit 10000, Requested 12000. The input or output tokens must be reduced in order to run successfully.',
    ],
    ['xAI', 400, "This model's maximum prompt length is 131072 but the request contains 136973 tokens."],
    ['Moonshot', 400, 'Invalid request: Your request exceeded model token limit: 131072 (requested: 135000)'],
    ['Bedrock', 400, 'Input is too long for requested model.'],
    [
      'Bedrock, Titan',
      400,
      'Malformed input request: expected maxLength: 50000, actual: 60001, please reformat your input and try again.',
    ],
    ['Bedrock, Nova', 400, 'Too many input tokens. Max input tokens: 8192, request input token count: 9000'],
    ['Anthropic', 400, 'prompt is too long: 208310 tokens > 200000 maximum'],
    [
      'Anthropic, with the reply',
      400,
      'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again',
    ],
    ['Anthropic, bytes', 413, 'request_too_large Request exceeds the maximum size'],
    [
      'TGI',
      422,
      'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 512 `max_new_tokens`',
    ],
    [
      'TGI, input alone',
      422,
      'Input validation error: `inputs` must have less than 1024 tokens. Given: 1500',
    ],
    [
      'DashScope',
      400,
      '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]',
    ],
    ['Z.ai', 400, 'Prompt exceeds max length'],
    ['Z.ai, Chinese', 400, '1261 Prompt 超长'],
    [
      'Cohere',
      400,
      'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5320. Try using a shorter prompt',
    ],
    ['GitHub Models', 413, 'Request body too large for gpt-4o-mini model. Max size: 8000 tokens.'],
    ['GitHub Models, code', 400, 'tokens_limit_reached Hm.'],
    ['GitHub Copilot', 400, 'prompt token count of 130000 exceeds the limit of 128000'],
    [
      'Groq, per minute',
      413,
      'Request too large for model on tokens per minute (TPM): Limit 12000, Requested 24000, please reduce your message size and try again.',
    ],
    ['any proxy, without words', 413, ''],
    [
      'Gemini',
      400,
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    ],
    [
      'Mistral',
      400,
      'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    ],
    ['Fireworks', 400, 'The prompt is too long: 140000, model maximum context length: 131071'],
    [
      'Cerebras',
      400,
      'Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192',
    ],
    [
      'SambaNova',
      400,
      'The provided prompt is 16386 tokens long, but the maximum supported sequence length is just 4096!',
    ],
    [
      'watsonx',
      400,
      'the number of input tokens 9000 cannot exceed the total tokens limit 8192 for this model',
    ],
    ['MiniMax', 400, 'invalid params, context window exceeds limit (2013)'],
    ['Volcengine', 400, 'Total tokens of image and text exceed max message tokens'],
    ['Replicate, TensorRT-LLM', 400, 'Prompt length (9000) exceeds maximum input length (8192).'],
    ['SGLang', 400, "The input (9000 tokens) is longer than the model's context length (8192 tokens)."],
    [
      'SGLang, allowed length',
      400,
      'Input length (9000 tokens) exceeds the maximum allowed length (8186 tokens).',
    ],
    ['vLLM', 400, 'The decoder prompt (length 9000) is longer than the maximum model length of 8192.'],
    [
      'LM Studio',
      400,
      'Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens',
    ],
    [
      'LM Studio, newer',
      400,
      'The number of tokens to keep from the initial prompt is greater than the context length.',
    ],
    ['TabbyAPI', 422, 'Prompt length 9000 is greater than max_seq_len 8192'],
    ['oMLX', 400, 'Prompt too long: 9000 tokens exceeds max context window of 8192 tokens'],
    ['Ollama', 400, 'the input length exceeds the context length'],
    [
      'llama.cpp',
      400,
      'exceed_context_size_error request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it',
    ],
    [
      'llama.cpp, older',
      500,
      'the request exceeds the available context size. try increasing the context size or enable context shift',
    ],
    ['Ollama, older', 500, 'input length exceeds maximum context length'],
  ])('is known by its words: %s', (_source, status, said) => {
    expect(typeOfStatus(status, said)).toBe('ModelContextTooLong');
  });

  test.each<[what: string, status: number, said: string, type: string]>([
    [
      'the reply asked for (OpenAI)',
      400,
      'max_tokens is too large: 1000000. This model supports at most 16384 completion tokens',
      'ModelBadRequest',
    ],
    [
      'the reply asked for (vLLM)',
      400,
      'max_tokens=1000000 cannot be greater than max_model_len=2048',
      'ModelBadRequest',
    ],
    [
      'an id (OpenAI)',
      400,
      "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40",
      'ModelBadRequest',
    ],
    [
      'a list of tools (OpenAI)',
      400,
      "Invalid 'tools': array too long. Expected an array with maximum length 128",
      'ModelBadRequest',
    ],
    [
      'an image (Anthropic)',
      400,
      'messages.0.content.1.image.source.base64: image exceeds 5 MB maximum',
      'ModelBadRequest',
    ],
    [
      'a description',
      400,
      "Invalid 'tools[0].function.description': description exceeds maximum length of 1024",
      'ModelBadRequest',
    ],
    [
      'a limit of requests',
      429,
      'Rate limit reached for requests per minute: Limit 3, Used 3, Requested 1.',
      'ModelRateLimited',
    ],
    [
      'the reply asked for (Bedrock)',
      400,
      'The maximum tokens you requested exceeds the model limit of 8192. Try again with a lower maximum.',
      'ModelBadRequest',
    ],
    ['time', 504, 'upstream request exceeded its time limit', 'ModelServerError'],
    ['nothing', 500, 'Internal server error', 'ModelServerError'],
  ])('is not meant where something else is: %s', (_what, status, said, type) => {
    expect(typeOfStatus(status, said)).toBe(type);
  });
});

test.each([
  [
    'llama.cpp',
    'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
  ],
  ['llama-cpp-python 0.3', '2 validation errors for ChatCompletionRequest'],
  ['llama-cpp-python 0.3', '1 validation error: body -> messages'],
])('a request that can never succeed is refused, though the status is 500: %s', (_source, said) => {
  expect(typeOfStatus(500, said)).toBe('ModelBadRequest');
});

const GROQ =
  "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.";

test('a call that Groq could not read is asked for again, by both adapters', async () => {
  const again = { type: 'ModelInvalidResponse', retryable: true };
  const { ask } = await scriptedOpenAI([{ status: 400, error: { message: GROQ, code: 'tool_use_failed' } }]);
  expect(await failureOf(ask())).toMatchObject(again);
  const error = apiCallError(GROQ, { statusCode: 400, isRetryable: false });
  const call = fromVercelModel(sdkModel('v2', [error])).call(modelRequest(), callContext());
  expect(await failureOf(call)).toMatchObject(again);
});

test.each([
  [400, 'registry.ollama.ai/library/gemma:latest does not support tools'],
  [404, 'No endpoints found that support tool use. To learn more, visit the pages on routing.'],
  [400, '`tool calling` is not supported with this model'],
  [400, "This model doesn't support tool use."],
  [400, 'Function calling is not enabled for models/gemma-3-27b-it'],
  [400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
  [500, 'tools param requires --jinja flag'],
])('a model that calls no tools is known by its words, by both adapters: %i %s', async (status, message) => {
  const lacks = { type: 'ModelBadRequest', retryable: false, lacksFeature: true };
  const words = expect.stringContaining("kind: 'zero-shot', or another model");
  const { ask } = await scriptedOpenAI([{ status, error: { message } }]);
  expect(await failureOf(ask())).toMatchObject({ ...lacks, message: words });
  const error = apiCallError(message, { statusCode: status, isRetryable: false });
  const call = fromVercelModel(sdkModel('v2', [error])).call(modelRequest(), callContext());
  expect(await failureOf(call)).toMatchObject({ ...lacks, message: words });
});
