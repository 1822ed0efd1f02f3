import type { ProblemDetails } from '../http/problem.ts';

/** An error as the clients of OpenAI read it. */
export interface ErrorBody {
  error: { message: string; type: string; code: string; param: null };
}

const types: { readonly [status: number]: string } = {
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
};

export function errorBody({ status, code, detail }: ProblemDetails): ErrorBody {
  const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error');
  return { error: { message: detail, type, code, param: null } };
}
