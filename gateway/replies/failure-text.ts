import type { ErrorInfo } from '../../agent/values/vocabulary.ts';

/** Types of errors whose message is for the person who asked: another question would help. */
const FOR_ASKER: ReadonlySet<string> = new Set([
  'ChatHistoryNotTaken',
  'HookBlocked',
  'ImagesNotTaken',
  'InvalidInput',
  'UnknownVariable',
]);

/**
 * Why a run failed, for a client of a protocol. Messages of models and tools name addresses and settings of the operator, who reads them in
 * the run: a client gets the type alone.
 */
export function failureText(error: ErrorInfo | null | undefined): string {
  if (error === null || error === undefined) return 'The run failed.';
  const { type, message } = error;
  return FOR_ASKER.has(type) ? message : `The run failed (${type}). Its operator can see why.`;
}
