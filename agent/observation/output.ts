import { jsonBytes } from '../values/digest.ts';
import { limits } from '../values/limits.ts';
import { cutOutput, truncatedAnswer } from './observations.ts';
import { plainJson, wholeCharacters } from '../values/values.ts';
import type { Json, Truncation } from '../values/vocabulary.ts';

/**
 * A tool's return value as a JSON value that fits: other values are converted as by JSON, and undefined becomes null. A
 * longer text is cut with a marker; a longer value becomes its JSON text, cut likewise.
 */
export function capOutput(output: unknown, maxChars: number, maxBytes: number): Json {
  const json = plainJson(output);
  const text = typeof json === 'string' ? json : JSON.stringify(json);
  if (fits(text, maxChars, maxBytes)) return json;
  // A character has a byte at least.
  let kept = Math.min(text.length, maxChars, maxBytes);
  while (!fits(text.slice(0, kept), maxChars, maxBytes - 200)) kept = Math.floor(kept * 0.9);
  const shown = wholeCharacters(text.slice(0, kept));
  return shown + cutOutput(shown.length, text.length);
}

/**
 * Result of another worker's activity, as the observation. `whole`: exactly as recorded, so that it can be referred to.
 */
export function externalOutput(result: unknown, maxChars: number): { output: Json; whole: boolean } {
  const output = capOutput(result, maxChars, limits.resultBytes);
  const whole = output === result || typeof output !== 'string';
  // A cut result differs from the recorded one, so it has to travel with the transcript.
  return whole ? { output, whole } : { output: capOutput(result, maxChars, limits.externalBytes), whole };
}

/** A sub-agent's answer, as the observation. */
export function delegatedOutput(answer: RunAnswer): Json {
  return capOutput(markedAnswer(answer), Infinity, limits.externalBytes);
}

/** A run's answer, as its result has it. */
export interface RunAnswer {
  output: Json;
  truncated?: Truncation | undefined;
}

/** An answer for another model: with a marker at its end, if the rest is missing. */
export function markedAnswer({ output, truncated }: RunAnswer): Json {
  return typeof output === 'string' && truncated !== undefined ? output + truncatedAnswer(truncated) : output;
}

function fits(text: string, maxChars: number, maxBytes: number): boolean {
  return text.length <= maxChars && jsonBytes(text) <= maxBytes;
}
