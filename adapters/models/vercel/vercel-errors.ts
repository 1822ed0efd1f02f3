import { z } from 'zod/v4';
import { isSecretKey, secretValues, withoutSecrets } from '../../../agent/text/secrets.ts';
import { retryAfter, waitIn } from '../../../agent/values/retry-after.ts';
import { boundedText } from '../../../agent/values/values.ts';
import { PASSING, isTurnedAway, mayPass, statusOfCode, typeOfStatus } from '../failure-types.ts';
import { ModelError, type ModelErrorType } from '../model.ts';
import {
  NO_FILES_ADVICE,
  NO_IMAGES_ADVICE,
  NO_TOOLS_ADVICE,
  isOutOfCredit,
  refusesFeature,
  refusesAudio,
  refusesFiles,
  refusesImages,
} from '../refusal-words.ts';
import { readableHeaders } from '../readable-headers.ts';
import type { VercelLanguageModel } from './language-model.ts';

const SHOWN_CHARS = 500;

/** An error of the AI SDK, by its shape: its classes have special names, and a project may have several copies. */
const SdkError = z.object({
  name: z.string(),
  message: z.string(),
  statusCode: z.number().optional().catch(undefined),
  isRetryable: z.boolean().optional().catch(undefined),
  responseBody: z.string().optional().catch(undefined),
  responseHeaders: z.record(z.string(), z.string()).optional().catch(undefined),
});
type SdkError = z.output<typeof SdkError>;

/** The one place that classifies errors of the AI SDK. What it does not know comes back as it is. */
export function classifyVercelError(error: unknown, model: VercelLanguageModel): unknown {
  if (error instanceof ModelError) return error;
  const { data: known } = SdkError.safeParse(fieldsToRead(error));
  if (known === undefined || !known.name.startsWith('AI_')) return error;
  const [type, retryable] = kindOf(known);
  const said = quoted(known.message).trim().replace(/\.$/, '');
  const lacksFeature = type === 'ModelBadRequest' && refusesFeature(wordsOf(known));
  const advice = lacksFeature ? adviceOnFeature(wordsOf(known)) : (ADVICE[type] ?? '');
  const text = `The model ${model.modelId} (${model.provider}) answered: ${said}. ${advice}`;
  return new ModelError(type, text.trimEnd(), {
    retryable,
    retryAfterMs: waitOf(known),
    lacksFeature,
    // The provider's object in the middle of a stream is not an Error: the model has worked by then.
    unbilled: error instanceof Error ? isTurnedAway(known.statusCode, wordsOf(known)) || undefined : false,
    cause: error,
  });
}

function adviceOnFeature(said: string): string {
  if (refusesImages(said)) return NO_IMAGES_ADVICE;
  return refusesFiles(said) || refusesAudio(said) ? NO_FILES_ADVICE : NO_TOOLS_ADVICE;
}

/** The provider's words, if an error is a refusal of the request. */
export function refusalInError(error: unknown): string | undefined {
  const { data } = SdkError.safeParse(fieldsToRead(error));
  const isAnswer =
    data?.name === 'AI_APICallError' && [400, 404, 422, 500, undefined].includes(data.statusCode);
  // A provider's package refuses what its API has no place for.
  return isAnswer || data?.name === 'AI_UnsupportedFunctionalityError' ? wordsOf(data) : undefined;
}

function wordsOf({ message, responseBody = '' }: SdkError): string {
  return `${message} ${responseBody}`;
}

/** Message and name of an error are not own fields, so a parser would not see them. */
function fieldsToRead(error: unknown): object {
  if (!(error instanceof Error)) return answerInStream(error);
  const { name, message } = error;
  return { ...Object.fromEntries(Object.entries(error)), name, message };
}

/**
 * Reads an error that came in the middle of a stream as if it had been the answer. Providers' packages pass on the provider's own object
 * (@ai-sdk/openai 3 and 4, @ai-sdk/anthropic: `{ type: 'overloaded_error', message: 'Overloaded' }`), which is not an Error.
 */
function answerInStream(error: unknown): SdkError {
  const sent = SentError.safeParse(error).data ?? {};
  const responseBody =
    typeof error === 'string' ? error : JSON.stringify(error ?? 'an error without a message');
  return {
    name: 'AI_APICallError',
    message: sent.message ?? responseBody,
    statusCode: sent.statusCode ?? statusOfCode(sent) ?? 500,
    isRetryable: sent.isRetryable,
    responseBody,
  };
}

const SentError = z.object({
  message: z.string().optional().catch(undefined),
  code: z.union([z.string(), z.number()]).nullish().catch(undefined),
  type: z.string().nullish().catch(undefined),
  statusCode: z.number().optional().catch(undefined),
  isRetryable: z.boolean().optional().catch(undefined),
});

type Kind = [ModelErrorType, retryable: boolean];

/** Names of `@ai-sdk/provider`; other errors are faults of the request or the program. */
function kindOf(error: SdkError): Kind {
  if (error.name === 'AI_APICallError') return kindOfCall(error);
  return KINDS[error.name] ?? ['ModelBadRequest', false];
}

const KINDS: { readonly [name: string]: Kind } = {
  AI_LoadAPIKeyError: ['ModelAuthenticationError', false],
  AI_LoadSettingError: ['ModelAuthenticationError', false],
  AI_NoSuchModelError: ['ModelNotFound', false],
  AI_EmptyResponseBodyError: ['ModelInvalidResponse', true],
  AI_InvalidResponseDataError: ['ModelInvalidResponse', true],
  AI_JSONParseError: ['ModelInvalidResponse', true],
  AI_NoContentGeneratedError: ['ModelInvalidResponse', true],
  AI_TypeValidationError: ['ModelInvalidResponse', true],
};

/** No status means no answer; a 200 is an answer that could not be read. */
function kindOfCall(error: SdkError): Kind {
  const { statusCode, isRetryable } = error;
  if (statusCode === undefined) return ['ModelConnectionError', isRetryable ?? true];
  if (statusCode < 400) return ['ModelInvalidResponse', true];
  const said = wordsOf(error);
  const type = typeOfStatus(statusCode, said);
  // The AI SDK knows no 400 that may pass, and of the statuses below 500 only 408, 409 and 429.
  if (type === 'ModelInvalidResponse' || PASSING[statusCode] === type) return [type, true];
  if (type === 'ModelBadRequest' || type === 'ModelContextTooLong') return [type, false];
  const isFinal = type === 'ModelRateLimited' && isOutOfCredit(statusCode, said, waitOf(error));
  return [type, (isRetryable ?? mayPass(type)) && !isFinal];
}

function waitOf(error: SdkError): number | undefined {
  const { responseHeaders, statusCode } = error;
  const headers = responseHeaders && readableHeaders(responseHeaders);
  return retryAfter(headers, Date.now()) ?? (statusCode === 429 ? waitIn(wordsOf(error)) : undefined);
}

/** Keys lie with the provider's code; they usually come from the environment. */
function quoted(text: string): string {
  const settings = Object.entries(process.env).flatMap(([name, value = '']) =>
    /key|token|secret/i.test(name) ? [[name, value] as const] : [],
  );
  return boundedText(withoutSecrets(text, secretValues(settings).filter(isSecretKey)), SHOWN_CHARS);
}

const ADVICE: { readonly [T in ModelErrorType]?: string } = {
  ModelAuthenticationError: "Check the key that the model's provider is made with.",
  ModelPermissionDenied: 'Use a key that may ask this model, or another model.',
  ModelNotFound: "Check the model's name and the provider's base URL.",
  ModelConnectionError: "Check the network and the provider's base URL.",
  ModelContextTooLong:
    'Set trimIntermediateSteps, cap tool output with maxOutputChars, or use a model with more context.',
  ModelBadRequest: "The same request would fail again: change the agent's prompt or parameters.",
};
