import type { ErrorInfo } from '../../client/index.ts';

/** Types of errors whose message is for the person who asked: another question would help. */
const FOR_ASKER: ReadonlySet<string> = new Set([
  'ChatHistoryNotTaken',
  'ClientToolsNotTaken',
  'FilesNotTaken',
  'HookBlocked',
  'ImagesNotTaken',
  'InvalidInput',
  'UnknownVariable',
]);

/**
 * Reason why a run failed, for a client of a protocol. Messages of models and tools name addresses and settings of the operator, who reads them in
 * the run: a client gets the type alone.
 */
export function failureText(error: ErrorInfo | null | undefined): string {
  return error === null || error === undefined ? 'The run failed.' : toldError(error, 'run').message;
}

/** The error of a run or a call, for callers that may not see texts of errors. */
export function toldError({ type, message }: ErrorInfo, what: 'run' | 'call'): ErrorInfo {
  if (FOR_ASKER.has(type)) return { type, message };
  return { type, message: `The ${what} failed (${type}). Its operator can see why.` };
}
