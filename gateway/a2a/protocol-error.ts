import type { A2AError } from '@a2a-js/sdk/errors';
import { type ProblemDetails, problemOf } from '../http/problem.ts';
import type { Sdk } from './sdk.ts';

type ErrorName =
  | 'TaskNotFoundError'
  | 'TaskNotCancelableError'
  | 'PushNotificationNotSupportedError'
  | 'ContentTypeNotSupportedError'
  | 'RequestMalformedError'
  | 'UnsupportedOperationError';

/** A2A's names of errors, by the code of an error or by its status. */
const names: { readonly [codeOrStatus: string]: ErrorName } = {
  RunNotFound: 'TaskNotFoundError',
  TaskNotCancelable: 'TaskNotCancelableError',
  PushNotificationNotSupported: 'PushNotificationNotSupportedError',
  ContentTypeNotSupported: 'ContentTypeNotSupportedError',
  400: 'RequestMalformedError',
  409: 'UnsupportedOperationError',
  422: 'RequestMalformedError',
};

/** A2A's error for an error of the gateway; undefined if HTTP's status says it: no scope, no Temporal. */
export function protocolErrorOf(error: unknown, { errors }: Sdk): A2AError | undefined {
  const { code, status, detail } = problemOf(error);
  const name = names[code] ?? names[status];
  return name && new errors[name](detail);
}

/** Codes of JSON-RPC, for a request that is refused before its operation. */
const INVALID_REQUEST = -32_600;
const INTERNAL_ERROR = -32_603;
const SERVER_ERROR = -32_000;
const VERSION_NOT_SUPPORTED = -32_009;

/** `id`: of the request; null where the request cannot be read. */
export function errorBody(problem: ProblemDetails, id: string | number | null = null): object {
  return { jsonrpc: '2.0', id, error: { code: numberOf(problem), message: problem.detail } };
}

function numberOf({ status, code }: ProblemDetails): number {
  if (code === 'VersionNotSupported') return VERSION_NOT_SUPPORTED;
  if (status === 400) return INVALID_REQUEST;
  return status === 500 ? INTERNAL_ERROR : SERVER_ERROR;
}
