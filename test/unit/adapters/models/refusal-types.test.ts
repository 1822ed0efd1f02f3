import { expect, test } from 'vitest';
import type { ModelErrorType } from '../../../../adapters/models/model.ts';
import { fromVercelModel } from '../../../../adapters/models/vercel/from-vercel-model.ts';
import { callContext, failureOf, modelRequest, scriptedOpenAI } from '../../../support/model-calls.ts';
import { apiCallError, sdkModel } from '../../../support/sdk-model.ts';

const CREDIT = 'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.';

test.each<[source: string, status: number, said: string, type: ModelErrorType, retryable: boolean]>([
  ['Anthropic: no credit', 400, CREDIT, 'ModelRateLimited', false],
  ['DeepSeek: no credit', 400, 'Insufficient Balance', 'ModelRateLimited', false],
  [
    'OpenAI: no credit',
    400,
    'You exceeded your current quota, please check your plan and billing details.',
    'ModelRateLimited',
    false,
  ],
  ['Gemini: no account', 400, 'This method requires billing to be enabled.', 'ModelRateLimited', false],
  ['any: no credit', 400, 'Not enough credits.', 'ModelRateLimited', false],
  [
    'any: a tool of that name',
    400,
    "Invalid 'tools[0].function.name': 'ask billing' has a space.",
    'ModelBadRequest',
    false,
  ],
  [
    'Gemini: a key',
    400,
    'API key not valid. Please pass a valid API key.',
    'ModelAuthenticationError',
    false,
  ],
  ['xAI: a key', 400, 'Incorrect API key provided: xa***.', 'ModelAuthenticationError', false],
  ['OpenRouter: a model', 400, 'acme/big is not a valid model ID', 'ModelNotFound', false],
  ['LiteLLM: a model', 400, 'Invalid model name passed in model=big.', 'ModelNotFound', false],
  ['Mistral: a model', 400, 'Invalid model: big', 'ModelNotFound', false],
  ['Bedrock: a model', 400, 'The provided model identifier is invalid.', 'ModelNotFound', false],
  ['DeepSeek: a model', 400, 'Model Not Exist', 'ModelNotFound', false],
  [
    'OpenAI: thoughts took all tokens',
    400,
    'Could not finish the message because max_tokens or model output limit was reached.',
    'ModelInvalidResponse',
    true,
  ],
  ['Anthropic: a filter', 400, 'Output blocked by content filtering policy', 'ModelInvalidResponse', true],
  [
    'DashScope: a filter',
    400,
    'Output data may contain inappropriate content.',
    'ModelInvalidResponse',
    true,
  ],
  ['Groq: capacity', 498, 'Flex tier capacity exceeded.', 'ModelRateLimited', true],
  [
    'Bedrock: the model',
    424,
    'The request failed due to an error while processing the model.',
    'ModelServerError',
    true,
  ],
  ['Gemini: cancelled', 499, 'The operation was cancelled.', 'ModelServerError', true],
  ['any: the prompt', 400, 'The value of messages.0.model is not allowed here.', 'ModelBadRequest', false],
  ['DashScope: the prompt', 400, 'Input data may contain inappropriate content.', 'ModelBadRequest', false],
])(
  'a refusal is what its words say, whatever its status, by both adapters: %s',
  async (_source, status, message, type, retryable) => {
    const { ask } = await scriptedOpenAI([{ status, error: { message } }]);
    expect(await failureOf(ask())).toMatchObject({ type, retryable });
    const error = apiCallError(message, { statusCode: status, isRetryable: false });
    const call = fromVercelModel(sdkModel('v3', [error])).call(modelRequest(), callContext());
    expect(await failureOf(call)).toMatchObject({ type, retryable });
  },
);
