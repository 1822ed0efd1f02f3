import { problemOfStatus } from '../agent/values/http-exchange.ts';
import type { ModelErrorType } from './model.ts';

/** Error type of an HTTP status, for any provider. `said` is the provider's code and message. */
export function typeOfStatus(status: number, said: string): ModelErrorType {
  if ([400, 413, 422].includes(status) && isContextTooLong(said)) return 'ModelContextTooLong';
  if (status === 402) return 'ModelRateLimited'; // no credit: as `insufficient_quota`
  return status === 409 ? 'ModelConflict' : `Model${problemOfStatus(status)}`;
}

function isContextTooLong(said: string): boolean {
  return /context_length_exceeded|context[ _](length|window|size)|maximum context|prompt is too long|reduce the length|token count [^\n]{0,100}exceeds/i.test(
    said,
  );
}

/**
 * Another attempt may get through. The caller distinguishes an account without credit from one with too many requests.
 */
export function mayPass(type: ModelErrorType): boolean {
  return ['ModelRateLimited', 'ModelTimeout', 'ModelConflict', 'ModelServerError'].includes(type);
}
