import { problemOfStatus } from '../../../agent/values/http-exchange.ts';

/** Type of a service's failure, as the Web UI and `show` print it. */
export type ServiceErrorType =
  | 'ToolAuthenticationError' // no key, or 401
  | 'ToolPermissionDenied'
  | 'ToolNotFound'
  | 'ToolBadRequest'
  | 'ToolRateLimited'
  | 'ToolTimeout'
  | 'ToolServerError'
  | 'ToolConnectionError'
  | 'ToolBadResponse';

interface ServiceErrorOptions {
  retryable: boolean;
  retryAfterMs?: number | undefined;
  notDone?: boolean | undefined;
}

/**
 * Thrown by tools that ask a service over HTTP. `retryable: false`: the same request would fail again until a person
 * makes the change in the message. No message contains a key or a password.
 */
export class ServiceError extends Error {
  override name: ServiceErrorType;
  readonly retryable: boolean;
  /** The wait that the service asks for, if it does. */
  readonly retryAfterMs: number | undefined;
  /** The service certainly has not carried out the request. */
  readonly notDone: boolean;

  constructor(type: ServiceErrorType, message: string, options: ServiceErrorOptions) {
    const { retryable, retryAfterMs, notDone = false } = options;
    super(message);
    this.name = type;
    this.retryable = retryable;
    this.retryAfterMs = retryAfterMs;
    this.notDone = notDone;
  }
}

export function typeOfStatus(status: number): ServiceErrorType {
  return status < 400 ? 'ToolBadResponse' : `Tool${problemOfStatus(status)}`;
}

/** True for a status of a temporary failure. */
export function isPassing(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

export function startOf(text: string, length: number): string {
  const line = text.trim();
  return line.length <= length ? line : `${line.slice(0, length)}…`;
}
