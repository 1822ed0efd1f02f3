import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai';
import { withoutSecrets } from '../../agent/secrets.ts';
import { boundedText } from '../../agent/values.ts';
import type { ModelErrorType } from '../model.ts';
import { ModelError } from '../model.ts';
import { retryAfter } from './retry-after.ts';

/** Whom was asked for what, so that a message can say where it went wrong. */
export interface Asked {
  baseURL: string;
  /** What the request was sent with and no message may repeat. */
  secrets: readonly string[];
  model: string;
  timeoutMs: number;
}

const SHOWN_CHARS = 500;

/** The one place that classifies the errors of the OpenAI client. What it does not know comes back as it is. */
export function classifyError(error: unknown, asked: Asked): unknown {
  if (error instanceof ModelError) return error;
  if (error instanceof APIConnectionTimeoutError) return timedOut(asked);
  if (error instanceof APIConnectionError) return unreachable(error, asked);
  if (isAPIError(error)) return answered(error, asked);
  return error;
}

/** What a provider said, for a message: without secrets, and of it the first `chars` characters. */
export function quoted(text: string, { secrets }: Pick<Asked, 'secrets'>, chars = SHOWN_CHARS): string {
  return boundedText(withoutSecrets(text, secrets), chars);
}

/** `instanceof` alone makes every field of this class `any`. */
function isAPIError(error: unknown): error is APIError {
  return error instanceof APIError;
}

export function timedOut({ baseURL, timeoutMs }: Asked): ModelError {
  return new ModelError(
    'ModelTimeout',
    `Nothing was heard from the model at ${baseURL} for ${timeoutMs / 1000} s. If it needs longer, raise requestTimeout.`,
    { retryable: true },
  );
}

function unreachable(error: APIConnectionError, asked: Asked): ModelError {
  return new ModelError(
    'ModelConnectionError',
    `Cannot reach the model at ${asked.baseURL} (${quoted(reasonOf(error), asked)}). Check OPENAI_BASE_URL and that the server runs.`,
    { retryable: true },
  );
}

/** The provider said what is wrong: by HTTP status, or inside a 200. */
function answered(error: APIError, asked: Asked): ModelError {
  const type = typeOf(error);
  const said = quoted(error.message, asked).trim().replace(/\.$/, '');
  const advice = adviceFor(type, error, asked);
  return new ModelError(type, `The model at ${asked.baseURL} answered: ${said}. ${advice}`.trimEnd(), {
    retryable: isRetryable(type, error),
    retryAfterMs: retryAfter(error.headers),
  });
}

function typeOf(error: APIError): ModelErrorType {
  const status = statusOf(error);
  if ([400, 413, 422].includes(status) && isContextTooLong(error)) return 'ModelContextTooLong';
  switch (status) {
    case 401:
      return 'ModelAuthenticationError';
    case 402: // no credit: as `insufficient_quota`
    case 429:
      return 'ModelRateLimited';
    case 403:
      return 'ModelPermissionDenied';
    case 404:
      return 'ModelNotFound';
    case 408:
      return 'ModelTimeout';
    case 409:
      return 'ModelConflict';
    default:
      return status >= 500 ? 'ModelServerError' : 'ModelBadRequest';
  }
}

/** Errors inside a 200 have no status of their own: some carry one as the code, others only a word for it. */
function statusOf(error: APIError): number {
  const code = Number(error.code);
  const status: number | undefined = error.status;
  if (status !== undefined) return status;
  if (code >= 400 && code < 600) return code;
  return STATUS_OF_WORD.find(([word]) => word.test(`${error.code} ${error.type}`))?.[1] ?? 500;
}

const STATUS_OF_WORD: readonly [RegExp, number][] = [
  [/rate_limit|too_many_requests|quota|billing/i, 429],
  [/api_key|authentication/i, 401],
  [/permission/i, 403],
  [/not_found/i, 404],
  [/time_?out/i, 408],
  [/context|invalid_request|bad_request/i, 400],
];

function isContextTooLong(error: APIError): boolean {
  return /context_length_exceeded|context[ _](length|window|size)|maximum context|prompt is too long|reduce the length|token count [^\n]{0,100}exceeds/i.test(
    `${error.code} ${error.message}`,
  );
}

function isOutOfCredit(error: APIError): boolean {
  return statusOf(error) === 402 || /insufficient_quota|billing/.test(`${error.code} ${error.type}`);
}

/** The provider's own word counts most. */
function isRetryable(type: ModelErrorType, error: APIError): boolean {
  const header = error.headers?.get('x-should-retry');
  if (header === 'true' || header === 'false') return header === 'true';
  switch (type) {
    case 'ModelRateLimited':
      return !isOutOfCredit(error);
    case 'ModelTimeout':
    case 'ModelConflict':
    case 'ModelServerError':
      return true;
    default:
      return false;
  }
}

function adviceFor(type: ModelErrorType, error: APIError, { model }: Asked): string {
  switch (type) {
    case 'ModelAuthenticationError':
      return 'Check OPENAI_API_KEY.';
    case 'ModelPermissionDenied':
      return `Use a key that may ask model "${model}", or another model.`;
    case 'ModelNotFound':
      return `Check the model name "${model}" and the base URL, which usually ends in /v1.`;
    case 'ModelContextTooLong':
      return 'Set trimIntermediateSteps, cap tool output with maxOutputChars, or use a model with more context.';
    case 'ModelBadRequest':
      return "The same request would fail again: change the agent's prompt or parameters.";
    case 'ModelRateLimited':
      return isOutOfCredit(error)
        ? 'Check plan and billing of the account.'
        : 'If this stays, run fewer agents at once or ask the provider for more.';
    default:
      return '';
  }
}

/** What happened to a connection; `fetch` hides it in the cause. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}
