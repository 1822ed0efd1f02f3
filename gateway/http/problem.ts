import { HTTPException } from 'hono/http-exception';
import { messageWithoutAdvice } from '../../client/index.ts';

/** An error with a status of HTTP, as RFC 9457 has it. `code`: the name of Reloop's error. */
export interface ProblemDetails {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
}

/** A refused request. */
export class Refused extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: { [name: string]: string };

  constructor(status: number, code: string, message: string, headers: { [name: string]: string } = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** Status of each error of the client. All others are the gateway's own fault. */
const statusOf: { readonly [name: string]: number } = {
  InvalidInput: 400,
  RunNotFound: 404,
  SessionNotFound: 404,
  BudgetNotFound: 404,
  DecisionRefused: 409,
  TemporalUnreachable: 503,
  RunNotTaking: 503,
  ClientClosed: 503,
};

const titles: { readonly [status: number]: string } = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** The response to an error, in the form of a protocol where one is given. An unknown error keeps its message to itself. */
export function problemResponse(error: unknown, bodyOf?: (problem: ProblemDetails) => object): Response {
  const problem = problemOf(error);
  const { headers } = describeError(error);
  const type = bodyOf === undefined ? 'application/problem+json' : 'application/json';
  return new Response(JSON.stringify(bodyOf?.(problem) ?? problem), {
    status: problem.status,
    headers: { ...headers, 'content-type': type },
  });
}

/** An error as callers see it. */
export function problemOf(error: unknown): ProblemDetails {
  const { status, code, detail } = describeError(error);
  return { type: 'about:blank', title: titles[status] ?? 'Error', status, detail, code };
}

/** True for an error that the operator of the gateway has to know of. */
export function isOwnFault(error: unknown): boolean {
  return describeError(error).status === 500;
}

function describeError(error: unknown): {
  status: number;
  code: string;
  detail: string;
  headers?: { [name: string]: string };
} {
  if (error instanceof Refused) {
    const { status, code, message, headers } = error;
    return { status, code, detail: message, headers };
  }
  if (error instanceof HTTPException)
    return { status: error.status, code: 'InvalidInput', detail: error.message };
  if (error instanceof Error) {
    const { name } = error;
    const status = statusOf[name];
    // Callers have no terminal at the server.
    if (status !== undefined) return { status, code: name, detail: messageWithoutAdvice(error) };
  }
  return { status: 500, code: 'InternalError', detail: 'The gateway met an error; its log has the details.' };
}
