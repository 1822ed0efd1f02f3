import { limits } from './limits.ts';
import { boundedText } from './values.ts';

/** Error of a refused update. It quotes a person's data, which may be anything, so it is made recordable. */
export function refusal(type: string, text: string): Error {
  const error = new Error(boundedText(`${type}: ${text}`, limits.errorChars));
  // The Web UI shows a person the sentence, and where in our files it was written.
  error.stack = '';
  return error;
}

/** An impossible request; the message says what is possible. Nothing was started. */
export class InvalidInput extends Error {
  override name = 'InvalidInput';
}
