import type { ModelErrorType } from './model.ts';

/** What an HTTP status means, whichever provider says it. `said` is its word and its message. */
export function typeOfStatus(status: number, said: string): ModelErrorType {
  if ([400, 413, 422].includes(status) && isContextTooLong(said)) return 'ModelContextTooLong';
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

function isContextTooLong(said: string): boolean {
  return /context_length_exceeded|context[ _](length|window|size)|maximum context|prompt is too long|reduce the length|token count [^\n]{0,100}exceeds/i.test(
    said,
  );
}

/** Another attempt may get through. An account without credit is told from one that asks too often by the caller. */
export function mayPass(type: ModelErrorType): boolean {
  return ['ModelRateLimited', 'ModelTimeout', 'ModelConflict', 'ModelServerError'].includes(type);
}
