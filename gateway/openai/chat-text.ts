import { Refused } from '../http/problem.ts';
import type { RunPart } from '../replies/run-parts.ts';

const BETWEEN_TEXTS = '\n\n';
/** Key of the answer where no model call wrote the answer. */
const ANSWER = 'answer';

/**
 * Makes the text of a reply that can only be continued: the texts of all model calls, a blank line between two. Returns the new
 * characters of each part. A text that was sent and then replaced by another attempt of the model is held back until the new text is the
 * longer one. Throws Refused when the new text is another one, because nothing that was sent can be taken back.
 */
export function createChatText(run: string): (part: RunPart) => string {
  /** By model call. */
  const texts = new Map<string, string>();
  let sent = '';
  return (part) => {
    if (part.type === 'void') texts.delete(part.call);
    else if (part.type === 'text') texts.set(part.call, (texts.get(part.call) ?? '') + part.delta);
    else if (part.type === 'output') texts.set(ANSWER, part.text);
    else if (part.type !== 'ended') return '';
    const whole = [...texts.values()].join(BETWEEN_TEXTS);
    if (whole.startsWith(sent)) {
      const delta = whole.slice(sent.length);
      sent = whole;
      return delta;
    }
    if (part.type !== 'ended' && sent.startsWith(whole)) return '';
    throw replaced(run);
  };
}

function replaced(run: string): Refused {
  return new Refused(
    502,
    'TextReplaced',
    `Another attempt of the model replaced a text that this stream had sent. The run goes on: GET /v1/responses/resp_${run} has the answer.`,
  );
}
