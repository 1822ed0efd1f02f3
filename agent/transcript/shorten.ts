import { shortenedObservation } from '../observation/observations.ts';
import type { PromptContext } from '../definition/kind.ts';
import { asText } from '../values/vocabulary.ts';

/** Characters that are left of a shortened observation, and the length below which none is touched. */
const KEPT_CHARS = 200;
const WORTH_CHARS = 2 * KEPT_CHARS;

/**
 * The same with its oldest observations shortened until all together are at most half as long; undefined when there is
 * nothing to shorten. Depends on its argument only, so that a later reader can rebuild the request.
 */
export function shortenOldest(context: PromptContext): PromptContext | undefined {
  const lengths = context.steps.map(({ observation }) => asText(observation).length);
  let tooMuch = lengths.reduce((sum, length) => sum + length, 0) / 2;
  let changed = false;
  const steps = context.steps.map((step, index) => {
    const length = lengths[index] ?? 0;
    if (tooMuch <= 0 || length <= WORTH_CHARS) return step;
    tooMuch -= length - KEPT_CHARS;
    changed = true;
    const kept = asText(step.observation).slice(0, KEPT_CHARS);
    return { ...step, observation: kept + shortenedObservation(kept.length, length) };
  });
  return changed ? { ...context, steps } : undefined;
}
