/** Why a service did not give a tool what it asked for: the failure's type, as the Web UI and `show` print it. */
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
 * Thrown by tools that ask a service over HTTP. `retryable: false` says that the same request would fail again until a
 * person changes something; the message says what. No message holds a key or a password.
 */
export class ServiceError extends Error {
  override name: ServiceErrorType;
  readonly retryable: boolean;
  /** How long the service asks to wait, where it does. */
  readonly retryAfterMs: number | undefined;
  /** The service certainly has not done what it was asked. */
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

/** The type for a status that is no success. */
export function typeOfStatus(status: number): ServiceErrorType {
  switch (status) {
    case 401:
      return 'ToolAuthenticationError';
    case 403:
      return 'ToolPermissionDenied';
    case 404:
      return 'ToolNotFound';
    case 408:
      return 'ToolTimeout';
    case 429:
      return 'ToolRateLimited';
    default:
      if (status >= 500) return 'ToolServerError';
      return status >= 400 ? 'ToolBadRequest' : 'ToolBadResponse';
  }
}

/** What passes by itself. */
export function isPassing(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** Milliseconds from `Retry-After`, in seconds or as a date; undefined for what is neither. Never negative. */
export function retryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? '';
  const wait = /^\s*[\d.]+\s*$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(wait) ? Math.max(0, Math.round(wait)) : undefined;
}

/** The start of a text, for a message. */
export function startOf(text: string, length: number): string {
  const line = text.trim();
  return line.length <= length ? line : `${line.slice(0, length)}…`;
}
