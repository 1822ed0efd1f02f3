import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai';
import { withoutSecrets } from '../../agent/secrets.ts';
import { boundedText } from '../../agent/values.ts';
import type { ModelErrorType } from '../model.ts';
import { mayPass, typeOfStatus } from '../failure-types.ts';
import { ModelError } from '../model.ts';
import { retryAfter } from './retry-after.ts';

/** Whom was asked for what, so that a message can say where it went wrong. */
export interface Asked {
  baseURL: string;
  /** What the request was sent with and no message may repeat. */
  secrets: readonly string[];
  model: string;
  api: 'chat' | 'completions';
  timeoutMs: number;
  names: SettingNames;
}

/** What a person has to look at: `OPENAI_API_KEY`, `OPENAI_BASE_URL`. */
export interface SettingNames {
  key: string;
  url: string;
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
    `Cannot reach the model at ${asked.baseURL} (${quoted(reasonOf(error), asked)}). Check ${asked.names.url} and that the server runs.`,
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
  return typeOfStatus(statusOf(error), `${error.code} ${error.message}`);
}

/** Errors inside a 200 have no status of their own: some carry one as the code, others only a word for it. */
function statusOf(error: APIError): number {
  const code = Number(error.code);
  const status: number | undefined = error.status;
  if (status !== undefined) return status;
  if (code >= 400 && code < 600) return code;
  const words = `${error.code} ${error.type}`;
  return (
    STATUS_OF_WORD.find(([word]) => word.test(words))?.[1] ?? (NO_SUCH_PATH.test(error.message) ? 404 : 500)
  );
}

/** LM Studio answers any path it does not have with 200 and this. */
const NO_SUCH_PATH = /unexpected endpoint/i;

const STATUS_OF_WORD: readonly [RegExp, number][] = [
  [/rate_limit|too_many_requests|quota|billing/i, 429],
  [/api_key|authentication/i, 401],
  [/permission/i, 403],
  [/not_found/i, 404],
  [/time_?out/i, 408],
  [/context|invalid_request|bad_request/i, 400],
];

function isOutOfCredit(error: APIError): boolean {
  return statusOf(error) === 402 || /insufficient_quota|billing/.test(`${error.code} ${error.type}`);
}

/** The provider's own word counts most. */
function isRetryable(type: ModelErrorType, error: APIError): boolean {
  const header = error.headers?.get('x-should-retry');
  if (header === 'true' || header === 'false') return header === 'true';
  return mayPass(type) && !(type === 'ModelRateLimited' && isOutOfCredit(error));
}

function adviceFor(type: ModelErrorType, error: APIError, { model, api, names }: Asked): string {
  switch (type) {
    case 'ModelAuthenticationError':
      return `Check ${names.key}.`;
    case 'ModelPermissionDenied':
      return `Use a key that may ask model "${model}", or another model.`;
    case 'ModelNotFound':
      return api === 'chat'
        ? `Check the model name "${model}" and ${names.url}, which usually ends in /v1.`
        : `Check the model name "${model}" and ${names.url}, which usually ends in /v1. Many servers have no legacy completions: give the agent api: 'chat'.`;
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
