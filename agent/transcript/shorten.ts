import { shortenedObservation } from '../observation/observations.ts';
import type { PromptContext } from '../definition/kind.ts';
import { sum } from '../values/values.ts';
import { asText } from '../values/vocabulary.ts';

/** Characters that are left of a shortened observation, and the length below which none is touched. */
const KEPT_CHARS = 200;
const WORTH_CHARS = 2 * KEPT_CHARS;

/**
 * The same with its oldest observations, and results of background calls, shortened until all together are at most half as long; undefined when there is
 * nothing to shorten. Depends on its argument only, so that a later reader can rebuild the request.
 */
export function shortenOldest(context: PromptContext): PromptContext | undefined {
  const lengths = context.steps.map(({ observation }) => asText(observation).length);
  const results = (context.messages ?? []).filter(({ result }) => result === true);
  let tooMuch = sum([...lengths, ...results.map(({ text }) => text.length)]) / 2;
  let changed = false;
  /** Returns the text, or its beginning while all together are too long. */
  const shortened = (text: string): string => {
    const { length } = text;
    if (tooMuch <= 0 || length <= WORTH_CHARS) return text;
    tooMuch -= length - KEPT_CHARS;
    changed = true;
    return text.slice(0, KEPT_CHARS) + shortenedObservation(KEPT_CHARS, length);
  };
  const steps = context.steps.map((step, index) =>
    (lengths[index] ?? 0) <= WORTH_CHARS
      ? step
      : { ...step, observation: shortened(asText(step.observation)) },
  );
  const messages = context.messages?.map((message) =>
    message.result === true ? { ...message, text: shortened(message.text) } : message,
  );
  return changed ? { ...context, steps, messages } : undefined;
}
