import { connectionProblem, problemOfStatus, wasNeverSent } from '../../agent/values/http-exchange.ts';
import { fieldOf } from '../../agent/values/values.ts';
import type { ModelErrorType } from './model.ts';
import {
  isCreditGone,
  isRefusedFor,
  isTooLong,
  isUnknownModel,
  isUnreadableReply,
  isWrongKey,
  refusesFeature,
} from './refusal-words.ts';

/** Each type of failure; true: another model may answer the same request, so the next one of an agent's list is asked. */
const mayOtherAnswer: { readonly [T in ModelErrorType]: boolean } = {
  ModelAuthenticationError: true,
  ModelPermissionDenied: true,
  ModelNotFound: true,
  ModelBadRequest: false,
  ModelContextTooLong: false,
  ModelRateLimited: true,
  ModelConflict: true,
  ModelServerError: true,
  ModelConnectionError: true,
  ModelTimeout: true,
  ModelInvalidResponse: true,
  ModelStreamCut: true,
};

export const modelErrorTypes = Object.keys(mayOtherAnswer) as ModelErrorType[]; // the keys of its type

/** Failures after which the next model of an agent's list is asked, unless the list says otherwise. */
export const fallbackTypes = modelErrorTypes.filter((type) => mayOtherAnswer[type]);

/** Type of a model's failure. An error that the model has not classified counts as one of its server. */
export function failureType(error: unknown): ModelErrorType {
  const type = fieldOf(error, 'name') === 'ModelError' ? fieldOf(error, 'type') : undefined;
  return modelErrorTypes.find((known) => known === type) ?? 'ModelServerError';
}

/** Failures of a request that the provider has refused. */
const REFUSED: readonly ModelErrorType[] = [
  'ModelAuthenticationError',
  'ModelPermissionDenied',
  'ModelNotFound',
  'ModelBadRequest',
  'ModelContextTooLong',
  'ModelRateLimited',
  'ModelConflict',
];

/** The provider has certainly not worked on the request, so that it costs nothing. */
export function isUnbilled(error: unknown): boolean {
  const unbilled = fieldOf(error, 'unbilled');
  if (typeof unbilled === 'boolean') return unbilled;
  return (
    fieldOf(error, 'heldBack') === true ||
    REFUSED.includes(failureType(error)) ||
    wasNeverSent(connectionProblem(error))
  );
}

/** The answer of a server that takes no request now, so that it has not worked on this one. Anthropic: 529. */
export function isTurnedAway(status: number | undefined, said: string): boolean {
  return (status === 503 && !BROKE_OFF.test(said)) || status === 529;
}

/**
 * Envoy answers 503 also when it has sent the request to a server and lost the connection: "upstream connect error or disconnect/reset
 * before headers. reset reason: connection termination" (its issues 14201 and 14981). After a connection failure or an overflow it has sent
 * nothing.
 */
const BROKE_OFF = /\breset reason: (?!(?:local |remote )?connection failure|overflow)/iu;

/** The model's server does not work; any other failure is an answer of it. */
export function isOutage(type: ModelErrorType): boolean {
  return ['ModelServerError', 'ModelConnectionError', 'ModelTimeout', 'ModelStreamCut'].includes(type);
}

/** Error type of an HTTP status, for any provider. `said` is the provider's code and message. */
export function typeOfStatus(status: number, said: string): ModelErrorType {
  if (isTooLong(status, said)) return 'ModelContextTooLong';
  if (status === 402) return 'ModelRateLimited'; // no credit: as `insufficient_quota`
  if (status === 400) return typeOfRefusal(said);
  const later = PASSING[status];
  if (later !== undefined) return later;
  if (status >= 500 && isRefusedFor(said)) return 'ModelBadRequest';
  if (status === 404 && refusesFeature(said)) return 'ModelBadRequest'; // OpenRouter
  return status === 409 ? 'ModelConflict' : `Model${problemOfStatus(status)}`;
}

/** Some providers know one status for all that they refuse: what a 400 says of key, credit and model is what other statuses say of them. */
function typeOfRefusal(said: string): ModelErrorType {
  if (isUnreadableReply(said)) return 'ModelInvalidResponse';
  if (isCreditGone(said)) return 'ModelRateLimited';
  if (isWrongKey(said)) return 'ModelAuthenticationError';
  return isUnknownModel(said) ? 'ModelNotFound' : 'ModelBadRequest';
}

/**
 * Statuses below 500 of requests that another attempt may get through. Groq: 498, no capacity left. Bedrock and Hugging Face: 424, the
 * model failed. Gemini: 499, cancelled.
 */
export const PASSING: { readonly [status: number]: ModelErrorType } = {
  424: 'ModelServerError',
  425: 'ModelServerError',
  498: 'ModelRateLimited',
  499: 'ModelServerError',
};

/**
 * Another attempt may get through. The caller distinguishes an account without credit from one with too many requests.
 */
export function mayPass(type: ModelErrorType): boolean {
  return [
    'ModelRateLimited',
    'ModelTimeout',
    'ModelConflict',
    'ModelServerError',
    'ModelInvalidResponse',
  ].includes(type);
}

/** Status of an error that came without one, inside a 200: some carry it as the code, others only a word for it. */
export function statusOfCode({
  code,
  type,
}: {
  code?: string | number | null | undefined;
  type?: string | null | undefined;
}): number | undefined {
  const status = Number(code);
  if (status >= 400 && status < 600) return status;
  const words = `${code} ${type}`;
  return STATUS_OF_WORD.find(([word]) => word.test(words))?.[1];
}

const STATUS_OF_WORD: readonly [RegExp, number][] = [
  [/rate_limit|too_many_requests|quota|billing/i, 429],
  [/api_key|authentication/i, 401],
  [/permission/i, 403],
  [/not_found/i, 404],
  [/time_?out/i, 408],
  [/context|invalid_request|bad_request/i, 400],
];
