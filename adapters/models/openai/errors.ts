import { APIConnectionError, APIError } from 'openai';
import { withoutSecrets } from '../../../agent/text/secrets.ts';
import { connectionProblem, wasNeverSent } from '../../../agent/values/http-exchange.ts';
import { retryAfter, waitIn } from '../../../agent/values/retry-after.ts';
import { fieldOf, boundedText } from '../../../agent/values/values.ts';
import { type ModelErrorType, ModelError } from '../model.ts';
import { isTurnedAway, mayPass, statusOfCode, typeOfStatus } from '../failure-types.ts';
import {
  NO_FILES_ADVICE,
  NO_IMAGES_ADVICE,
  NO_TOOLS_ADVICE,
  isOutOfCredit as noCreditIn,
  refusesFeature,
  refusesAudio,
  refusesFiles,
  refusesImages,
  refusesTools,
} from '../refusal-words.ts';

export interface RequestContext {
  /** The base URL, as a message may show it. */
  endpoint: string;
  /** Secrets of the request, which no message may repeat. */
  secrets: readonly string[];
  model: string;
  api: 'chat' | 'completions';
  /** The request is `doctor --probe`'s: nothing in it is the user's but model, key, URL and tools. */
  isProbe: boolean;
  names: SettingNames;
}

/** Settings that a person has to check: `OPENAI_API_KEY`, `OPENAI_BASE_URL`. */
export interface SettingNames {
  key: string;
  url: string;
}

const SHOWN_CHARS = 500;

/** The one place that classifies the errors of the OpenAI client. What it does not know comes back as it is. */
export function classifyError(error: unknown, asked: RequestContext): unknown {
  if (error instanceof ModelError) return error;
  if (error instanceof APIConnectionError) return unreachable(error, asked);
  if (isAPIError(error)) return answered(error, asked);
  return error;
}

/** A provider's words for a message: without secrets, at most `chars` characters. */
export function quoted(
  text: string,
  { secrets }: Pick<RequestContext, 'secrets'>,
  chars = SHOWN_CHARS,
): string {
  return boundedText(withoutSecrets(text, secrets), chars);
}

/** `instanceof` alone makes every field of this class `any`. */
export function isAPIError(error: unknown): error is APIError {
  return error instanceof APIError;
}

function unreachable(error: APIConnectionError, asked: RequestContext): ModelError {
  const problem = connectionProblem(error);
  return new ModelError(
    'ModelConnectionError',
    `Cannot reach the model at ${asked.endpoint} (${quoted(problem, asked)}). Check ${asked.names.url} and that the server runs.`,
    { retryable: true, unbilled: wasNeverSent(problem) || undefined },
  );
}

/** The provider answered with an error: by HTTP status, or inside a 200. */
function answered(error: APIError, asked: RequestContext): ModelError {
  const type = typeOf(error);
  const said = quoted(error.message, asked).trim().replace(/\.$/, '');
  const advice = adviceFor(type, error, asked);
  return new ModelError(type, `The model at ${asked.endpoint} answered: ${said}. ${advice}`.trimEnd(), {
    retryable: isRetryable(type, error),
    retryAfterMs: waitOf(error),
    lacksFeature: type === 'ModelBadRequest' && refusesFeature(error.message),
    unbilled: fieldOf(error, BEGUN) === true ? false : isTurnedAway(error.status, error.message) || undefined,
  });
}

const BEGUN = 'replyHasBegun';

/** The error, marked as one that came after the first piece of a reply: the provider has worked on the request. */
export function afterBegin<E extends Error>(error: E): E {
  return Object.assign(error, { [BEGUN]: true });
}

function typeOf(error: APIError): ModelErrorType {
  return typeOfStatus(statusOf(error), `${error.code} ${error.message}`);
}

/** Errors inside a 200 do not have a separate status. */
function statusOf(error: APIError): number {
  const status: number | undefined = error.status;
  return status ?? statusOfCode(error) ?? (NO_SUCH_PATH.test(error.message) ? 404 : 500);
}

/** LM Studio answers any path it does not have with 200 and this. */
const NO_SUCH_PATH = /unexpected endpoint/i;

function isOutOfCredit(error: APIError): boolean {
  const said = `${error.code} ${error.type} ${error.message}`;
  return noCreditIn(statusOf(error), said, waitOf(error));
}

/** Milliseconds that the provider asks to wait, in a header or in its words. */
function waitOf(error: APIError): number | undefined {
  const words = () => `${error.message} ${JSON.stringify(error.error ?? '')}`;
  return retryAfter(error.headers, Date.now()) ?? (statusOf(error) === 429 ? waitIn(words()) : undefined);
}

/** The provider's own word counts most. */
function isRetryable(type: ModelErrorType, error: APIError): boolean {
  const header = error.headers?.get('x-should-retry');
  if (header === 'true' || header === 'false') return header === 'true';
  return mayPass(type) && !(type === 'ModelRateLimited' && isOutOfCredit(error));
}

function adviceFor(type: ModelErrorType, error: APIError, asked: RequestContext): string {
  const { model, api, names } = asked;
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
      return refusedAdvice(error, asked);
    case 'ModelRateLimited':
      return isOutOfCredit(error)
        ? 'Check plan and billing of the account.'
        : 'If this stays, run fewer agents at once or ask the provider for more.';
    default:
      return '';
  }
}

/** Gateways answer 400 for a wrong model name, and for a wrong key. */
function refusedAdvice({ message }: APIError, { model, names, isProbe }: RequestContext): string {
  const settings = `${names.key}, the model's name "${model}" and ${names.url}`;
  if (refusesTools(message)) return NO_TOOLS_ADVICE;
  if (TOO_MANY_TOOLS.test(message))
    return 'Give the agent fewer tools, or give some of them to sub-agents or handoffs.';
  if (isProbe) {
    const isOfTools = /\b(?:tools?|tool_choice|functions?|schema)\b/iu.test(message);
    return `Look at ${isOfTools ? "the agent's tools, " : ''}${settings}.`;
  }
  if (refusesImages(message)) return NO_IMAGES_ADVICE;
  if (refusesFiles(message) || refusesAudio(message)) return NO_FILES_ADVICE;
  const isOfSettings = /\b(model|api.?key|key|token|auth\w*|credentials?|deployment|db|database)\b/iu.test(
    message,
  );
  return isOfSettings
    ? `The same request would fail again: look at ${settings}, or change the agent's prompt or parameters.`
    : "The same request would fail again: change the agent's prompt or parameters.";
}

/** OpenAI takes 128: "Invalid 'tools': array too long. Expected an array with maximum length 128". */
const TOO_MANY_TOOLS =
  /\btools\b.*\b(?:too long|too many|at most|maximum|exceed\w*)\b|\btoo many (?:tools|functions)\b/iu;
