import { limits } from '../limits.ts';
import { boundedText } from '../values.ts';

/** Why something that a person said is not done. What was sent is quoted, and may be anything: it has to be recordable. */
export function refusal(type: string, text: string): Error {
  const error = new Error(boundedText(`${type}: ${text}`, limits.errorChars));
  // The Web UI shows a person the sentence, and where in our files it was written.
  error.stack = '';
  return error;
}
